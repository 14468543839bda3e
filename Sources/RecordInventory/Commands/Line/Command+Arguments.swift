extension Command {
    /// Interprets the scanned arguments of a command.
    init(_ name: CommandName, _ arguments: ArgumentScanner) throws(UsageError) {
        var operands = arguments.operands
        if name == .export, let file = arguments.value("-o") {
            if let operand = operands.first {
                throw UsageError("export writes one file: \(operand.shown), or -o \(file.shown)?")
            }
            operands = [file]
        }
        if let surplus = operands.dropFirst(name.operands.upperBound).first {
            let hint =
                switch name {
                case .list: "; to search, give --search TEXT"
                case .edit, .delete, .show, .import, .export, .add, .undo, .history, .report, .doctor, .count, .till: ""
                default: "; only sell takes several"
                }
            throw UsageError("\(name.rawValue) takes no argument \"\(surplus.shown)\"\(hint)")
        }
        if operands.count < name.operands.lowerBound || operands.contains(""), let placeholder = name.operand {
            let noun = placeholder.trimmed { !$0.isLetter }
            throw UsageError("\(name.rawValue) requires \(noun == "ID" ? "an" : "a") \(noun)")
        }
        let text = operands.first ?? ""
        switch name {
        case .import: self = .import(try Import(text, arguments))
        case .export: self = .export(text, forSpreadsheet: arguments.has("--spreadsheet"))
        case .add: self = .add(try Self.newRecord(arguments))
        case .edit: self = .edit(try Self.sku(text), try Self.changes(arguments))
        case .delete: self = .delete(try Self.sku(text), confirmed: arguments.has("--yes"))
        case .show: self = .show(try Self.sku(text))
        case .list: self = .list(try List(arguments))
        case .sell: self = .move(try Move(.sale, operands, arguments))
        case .restock: self = .move(try Move(.restock, operands, arguments))
        case .return: self = .move(try Move(.return, operands, arguments))
        case .tradeIn: self = .move(try Move(.tradeIn, operands, arguments))
        case .writeOff: self = .move(try Move(.writeOff, operands, arguments))
        case .undo: self = .undo(try operands.first.map(Self.id), reason: arguments.value("--reason"))
        case .reserve where operands.isEmpty:
            if let option = name.options.first(where: { arguments.has($0.name) }) {
                throw UsageError("reserve \(option.name) requires a SKU")
            }
            self = .reservations
        case .reserve: self = .reserve(try Self.sku(text), try Reserve(arguments))
        case .release:
            self = .release(
                try Self.sku(text), name: arguments.value("--for"), id: try arguments.value("--id").map(Self.newID))
        case .count: self = try Self.count(operands, arguments)
        case .history: self = .history(try History(operands.first, arguments))
        case .report: self = .report(try Report(arguments))
        case .doctor: self = .doctor
        case .till: self = .till(payment: arguments.value("--payment"), sellsDrafts: arguments.has("--force"))
        }
    }

    fileprivate static func id(_ text: String) throws(UsageError) -> String {
        guard text.isKintoID, text.utf8.count <= 200 else {
            throw UsageError(
                "the id \"\(text.shown)\" requires letters, digits, - and _, at most 200, and starts with a letter or digit"
            )
        }
        return text
    }

    /// Checks the id of a command that is to be made. The tool itself makes ids that begin with these words.
    fileprivate static func newID(_ text: String) throws(UsageError) -> String {
        let text = try id(text)
        if let word = text.split(separator: "-").first, ["opening", "slot", "undo"].contains(word) {
            throw UsageError("the id \"\(text)\" begins with \"\(word)\", as ids of the tool itself do; give another")
        }
        return text
    }

    private static func count(_ operands: [String], _ arguments: ArgumentScanner) throws(UsageError) -> Command {
        if let location = arguments.value("--location") {
            if let operand = operands.first {
                throw UsageError("count --location reads what is scanned, and takes no argument \"\(operand.shown)\"")
            }
            return .countShelf(
                location, confirmed: arguments.has("--commit"), reason: arguments.value("--reason"))
        }
        guard operands.count == 2 else {
            throw UsageError("count requires a SKU and the number of copies, or --location PLACE")
        }
        guard let number = Int(operands[1]), Record.quantities.contains(number) else {
            throw UsageError(
                "count requires a whole number from 0 to \(Record.quantities.upperBound); not \"\(operands[1].shown)\"")
        }
        return .count(try sku(operands[0]), number, reason: arguments.value("--reason"))
    }

    fileprivate static func sku(_ text: String) throws(UsageError) -> SKU {
        do {
            return try SKU(text)
        } catch {
            throw UsageError("SKU \"\(text.shown)\": \(error.reason)")
        }
    }

    fileprivate static func count(_ arguments: ArgumentScanner) throws(UsageError) -> Int {
        try arguments.integer("-n", in: 1...Record.quantities.upperBound) ?? 1
    }

    private static func newRecord(_ arguments: ArgumentScanner) throws(UsageError) -> [FieldChange] {
        let changes = try fields(arguments)
        let given = Set(changes.map(\.field))
        let missing = [RecordField.artist, .title, .price, .currency].filter { !given.contains($0) }
        guard missing.isEmpty else {
            throw UsageError("add also requires \(missing.map(\.optionName).joined(separator: ", "))")
        }
        return changes
    }

    private static func changes(_ arguments: ArgumentScanner) throws(UsageError) -> [FieldChange] {
        var changes = try fields(arguments)
        for name in arguments.values("--clear") {
            let field = try RecordField(typed: name)
            guard !field.isRequired else {
                throw UsageError("\(field.rawValue) cannot be cleared: every record has one")
            }
            if let change = changes.first(where: { $0.field == field }) {
                throw UsageError(
                    change.text == nil
                        ? "--clear \(field.rawValue) is given twice"
                        : "\(field.optionName) and --clear \(field.rawValue) contradict each other")
            }
            changes.append(FieldChange(field: field, text: nil))
        }
        guard !changes.isEmpty else { throw UsageError("edit requires a field to change, such as --location A-12") }
        return changes
    }

    private static func fields(_ arguments: ArgumentScanner) throws(UsageError) -> [FieldChange] {
        var draft = RecordDraft()
        var changes: [FieldChange] = []
        for field in RecordField.allCases {
            guard let text = arguments.value(field.optionName) else { continue }
            do {
                try draft.set(field, to: text)
                // The amount must suit the currency. If both are given, a mismatch is reported at once.
                if let price = draft.price, let currency = draft.currency { _ = try Money(price, in: currency) }
            } catch let error as FieldError {
                throw UsageError("\(error)")
            } catch let error as InvalidValue {
                throw UsageError("price \"\((draft.price ?? "").shown)\": \(error.reason)")
            } catch {
                throw UsageError("\(error)")
            }
            changes.append(FieldChange(field: field, text: text))
        }
        if draft.status == .sold, let quantity = draft.quantity, quantity > 0 {
            throw UsageError(
                "--status sold and --quantity \(quantity) contradict each other, as what is sold has no copies; leave out "
                    + "--quantity if they are sold, --status if they are not")
        }
        return changes
    }
}

extension Command.Import {
    fileprivate init(_ file: String, _ arguments: ArgumentScanner) throws(UsageError) {
        self.file = file
        format = try arguments.choice("--from")
        onDuplicate = try arguments.choice("--on-duplicate") ?? .skip
        trustsNumbers = arguments.has("--trust-numbers")
        setsQuantity = arguments.has("--set-quantity")
        if setsQuantity, onDuplicate != .update {
            throw UsageError("--set-quantity requires --on-duplicate update: nothing else changes a record in stock")
        }
        if let code = arguments.value("--currency") {
            do {
                currency = try Currency(code)
            } catch {
                throw UsageError("--currency \"\(code.shown)\": \(error.reason)")
            }
        }
        if file == "-", arguments.has("--password-stdin") {
            throw UsageError("--password-stdin and import - both require standard input")
        }
    }
}

extension Command.List {
    fileprivate init(_ arguments: ArgumentScanner) throws(UsageError) {
        conditions = try arguments.values("--where").map { text throws(UsageError) in try Command.Condition(text) }
        search = arguments.value("--search").map { SearchQuery(typed: $0) }
        sort = try (arguments.value("--sort")?.split(separator: ",", omittingEmptySubsequences: false) ?? [])
            .map { key throws(UsageError) in
                let isDescending = key.hasPrefix("-")
                let field = try RecordField(typed: String(isDescending ? key.dropFirst() : key))
                return Command.SortKey(field: field, isDescending: isDescending)
            }
        limit = try arguments.integer("--limit", in: 1...Int.max)
    }
}

extension Command.Condition {
    fileprivate init(_ text: String) throws(UsageError) {
        guard let sign = text.firstIndex(of: "=") else {
            throw UsageError("--where requires FIELD=VALUE, such as format=LP; not \"\(text.shown)\"")
        }
        let name = text[..<sign]
        comparison = [.atLeast, .atMost].first { name.hasPrefix($0.rawValue) } ?? .equal
        field = try RecordField(typed: String(name.dropFirst(comparison.rawValue.count)), prefix: comparison.rawValue)
        do {
            value = try field.value(from: String(text[text.index(after: sign)...]))
        } catch {
            throw UsageError("--where \(error)")
        }
        if comparison != .equal, value == .none {
            throw UsageError("--where \(comparison.rawValue)\(field.rawValue) requires a value")
        }
    }
}

extension RecordField {
    fileprivate init(typed name: String, prefix: String = "") throws(UsageError) {
        do {
            try self.init(named: name, prefix: prefix)
        } catch {
            throw UsageError(error)
        }
    }
}

extension ArgumentScanner {
    func integer(_ name: String, in range: ClosedRange<Int>) throws(UsageError) -> Int? {
        guard let text = value(name) else { return nil }
        guard let number = Int(text), range.contains(number) else {
            let bounds =
                range.upperBound == Int.max
                ? "of at least \(range.lowerBound)" : "from \(range.lowerBound) to \(range.upperBound)"
            throw UsageError("\(name) requires a whole number \(bounds); not \"\(text.shown)\"")
        }
        return number
    }

    fileprivate func choice<Choice: RawRepresentable<String> & CaseIterable>(_ name: String) throws(UsageError)
        -> Choice?
    {
        guard let text = value(name) else { return nil }
        guard let choice = Choice(rawValue: text) else {
            let choices = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw UsageError("\(name) requires one of \(choices); not \"\(text.shown)\"")
        }
        return choice
    }
}

extension Command.Move {
    fileprivate init(
        _ kind: Movement.Kind, _ operands: [String], _ arguments: ArgumentScanner
    ) throws(UsageError) {
        self.kind = kind
        codes = try operands.map { text throws(UsageError) in try Command.sku(text) }
        count = try Command.count(arguments)
        if codes.count > 1, arguments.has("-n") {
            throw UsageError("-n belongs to a single SKU; type a SKU once for each copy")
        }
        price = arguments.value("--price")
        if let price {
            do {
                _ = try Money.units(in: price, decimals: FieldValue.priceDecimals, of: "the finest currency")
            } catch {
                throw UsageError("--price \"\(price.shown)\": \(error.reason)")
            }
        }
        if let text = arguments.value("--discount") {
            do {
                discount = try Discount(text)
            } catch {
                throw UsageError("--discount \"\(text.shown)\": \(error.reason)")
            }
        }
        payment = arguments.value("--payment")
        reason = arguments.value("--reason")
        customer = arguments.value("--for")
        id = try arguments.value("--id").map(Command.newID)
        sale = try arguments.value("--sale").map(Command.id)
        if sale != nil, price != nil {
            throw UsageError("--price and --sale contradict each other: a return of a sale has the price of the sale")
        }
        sellsDrafts = arguments.has("--force")
    }
}

extension Command.Reserve {
    fileprivate init(_ arguments: ArgumentScanner) throws(UsageError) {
        guard let name = arguments.value("--for"), !name.trimmed.isEmpty else {
            throw UsageError("reserve requires --for NAME")
        }
        self.name = name
        count = try Command.count(arguments)
        until = try arguments.day("--until")
        id = try arguments.value("--id").map(Command.newID)
    }
}

extension Command.History {
    fileprivate init(_ sku: String?, _ arguments: ArgumentScanner) throws(UsageError) {
        if let sku { self.sku = try Command.sku(sku) }
        id = try arguments.value("--id").map(Command.id)
        days = try arguments.days()
        limit = try arguments.integer("--limit", in: 1...Int.max)
        if id != nil, sku != nil { throw UsageError("history takes a SKU or --id, not both") }
    }
}

extension Command.Report {
    fileprivate init(_ arguments: ArgumentScanner) throws(UsageError) {
        days = try arguments.days()
        group = try arguments.choice("--by") ?? .payment
        lowStock = try arguments.integer("--low-stock", in: 0...Record.quantities.upperBound)
        deadStock = try arguments.integer("--dead-stock", in: 1...36_500)
    }
}

extension ArgumentScanner {
    fileprivate func day(_ name: String) throws(UsageError) -> CalendarDay? {
        guard let text = value(name) else { return nil }
        do {
            return try CalendarDay(text)
        } catch {
            throw UsageError("\(name) \"\(text.shown)\": \(error.reason)")
        }
    }

    /// Returns the days of `--day`, or of `--from` and `--to`.
    fileprivate func days() throws(UsageError) -> ClosedRange<CalendarDay>? {
        let (day, from, to) = (try day("--day"), try day("--from"), try day("--to"))
        if let day {
            if from != nil || to != nil { throw UsageError("--day and --from or --to contradict each other") }
            return day...day
        }
        guard from != nil || to != nil else { return nil }
        let first = from ?? CalendarDay.all.lowerBound
        let last = to ?? CalendarDay.all.upperBound
        guard first <= last else { throw UsageError("--from \(first) is later than --to \(last)") }
        return first...last
    }
}
