extension Command {
    /// Interprets the scanned arguments of a command.
    init(_ name: CommandName, _ arguments: ArgumentScanner) throws(UsageError) {
        var operands = arguments.operands[...]
        var operand = operands.popFirst()
        if name == .export, let file = arguments.value("-o") {
            if let operand { throw UsageError("export writes one file: \(operand.shown), or -o \(file.shown)?") }
            operand = file
        }
        if let surplus = name.operand == nil ? operand : operands.first {
            let hint = name == .list ? "; to search, give --search TEXT" : ""
            throw UsageError("\(name.rawValue) takes no argument \"\(surplus.shown)\"\(hint)")
        }
        if let placeholder = name.operand, operand?.isEmpty ?? true {
            throw UsageError("\(name.rawValue) requires a \(placeholder)")
        }
        let text = operand ?? ""
        switch name {
        case .import: self = .import(try Import(text, arguments))
        case .export: self = .export(text, forSpreadsheet: arguments.has("--spreadsheet"))
        case .add: self = .add(try Self.newRecord(arguments))
        case .edit: self = .edit(try Self.sku(text), try Self.changes(arguments))
        case .delete: self = .delete(try Self.sku(text), confirmed: arguments.has("--yes"))
        case .show: self = .show(try Self.sku(text))
        case .list: self = .list(try List(arguments))
        case .sell: self = .sell(try Self.sku(text), count: try Self.count(arguments))
        case .restock: self = .restock(try Self.sku(text), count: try Self.count(arguments))
        }
    }

    private static func sku(_ text: String) throws(UsageError) -> SKU {
        do {
            return try SKU(text)
        } catch {
            throw UsageError("SKU \"\(text.shown)\": \(error.reason)")
        }
    }

    private static func count(_ arguments: ArgumentScanner) throws(UsageError) -> Int {
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
        isDryRun = arguments.has("--dry-run")
        trustsNumbers = arguments.has("--trust-numbers")
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
