import RecordKitJSON

/// Opens a till, closes it, and shows its closes.
struct TillClosing: Sendable {
    let context: CommandContext

    struct Options: Equatable, Sendable {
        /// Whether the till is closed without a question.
        var isFinal = false
        /// The counted cash: `231.50`, or with its currency.
        var counted: [String] = []
        var reason: String?
    }

    private var console: Console { context.console }
    private var stock: Stock { context.stock }

    // MARK: Opening

    /// Notes the cash in the drawer. Refused if the till has a float in this currency since its last close.
    ///
    /// - Parameter text: The cash, or `nil` to ask for it.
    func open(_ text: String?) async throws -> ExitCode {
        let open = try await look(limit: 0)
        let text = if let text { text } else { try await askForFloat() }
        let amount = try await amount(text, "--float", in: open.closing)
        try await context.createShop()
        let float = CashFloat(
            till: open.closing.till, number: open.closing.number, amount: amount, time: stock.source.now(),
            person: stock.source.person)
        // A float of an earlier number counts too: it was noted while another closed the till.
        let isOpen = open.closing.floats.contains { $0.hasSuffix("-\(amount.currency.code)") }
        var isStored = !isOpen
        if !isOpen, !context.isDryRun { isStored = try await stock.store(float) }
        guard isStored else {
            throw CommandFailure(
                .conflict, "the till \(float.till) has a float in \(amount.currency.code) already; close it first")
        }
        try context.reporter.report("Opened the till \(float.till) with \(amount.text).", json: float.json.printed)
        return .done
    }

    /// Asks for the cash in the drawer, and proposes what the last close left.
    private func askForFloat() async throws -> String {
        guard console.canAsk else {
            throw UsageError(
                "till open requires --float AMOUNT, the cash in the drawer; 0 if there is none")
        }
        let last = try await stock.closings().last
        var proposal: String?
        if let last, last.cash.count == 1, let cash = last.cash.first {
            proposal = Money(amount: cash.counted ?? cash.expected, currency: cash.currency).text
        }
        let left = proposal.map { " (nothing for \($0), as Z \(last?.number ?? 0) left it)" } ?? ""
        let typed = try console.ask("The cash in the drawer\(left): ")?.trimmed ?? ""
        guard let text = typed.isEmpty ? proposal : typed else {
            throw CommandFailure(.failed, "no amount was typed, so the till was not opened")
        }
        return text
    }

    // MARK: Petty cash

    /// Notes cash that is put into the drawer, or taken out.
    ///
    /// - Parameter id: The id of the command, which is made once. `nil` makes a new one.
    func move(_ entry: DrawerCommand.Entry, id: String?) async throws -> ExitCode {
        let name = "drawer \(entry.kind.rawValue)"
        let open = try await look(limit: entry.kind == .in ? 0 : Closing.sizeLimit).closing
        let amount = try await amount(entry.amount, name, in: open)
        guard amount.amount > 0 else { throw UsageError("\(name) requires an amount above 0") }
        try await context.createShop()
        if entry.kind == .out, let drawer = open.cash.first(where: { $0.currency == amount.currency }),
            amount.amount > drawer.expected
        {
            let left = Money(amount: drawer.expected, currency: drawer.currency).text
            let question = "The drawer of \(open.till) has \(left). Take out \(amount.text)?"
            if try console.confirm(question) == false {
                console.note("Nothing was changed.")
                return .failed
            }
        }
        let move = DrawerMove(
            id: id ?? MovementSource.newCommand(on: context.today), till: stock.source.till,
            kind: entry.kind, amount: amount, reason: entry.reason, time: stock.source.now(),
            person: stock.source.person)
        if !context.isDryRun {
            try await context.checkIsNew(id)
            let isStored: Bool
            do {
                isStored = try await stock.store(move)
            } catch {
                // The counter's `drawer` takes no id.
                throw try context.advised(
                    error,
                    "As the command `record-inventory drawer`, with `--id \(move.id)`, it is made once, however often "
                        + "you type it.")
            }
            guard isStored else {
                throw CommandFailure(
                    .conflict,
                    "nothing was changed: the id \(move.id) belongs to another command; give this one another id")
            }
        }
        let (done, place) = move.isIn ? ("Put", "into") : ("Took", "out of")
        try context.reporter.report(
            "\(done) \(amount.text) \(place) the drawer of \(move.till): \(move.reason).",
            json: ["id": .string(move.id), "drawer": move.json.printed])
        return .done
    }

    // MARK: Closing

    /// Shows what the till took since its last close, and closes it if that is wanted.
    func close(_ options: Options) async throws -> ExitCode {
        let shop = try await stock.readSettings()
        for basket in try await stock.parkedBaskets() { console.note("Parked, not sold: \(basket.text).") }
        while true {
            var (closing, left) = try await stock.openClosing(limit: Closing.sizeLimit) { error in
                context.reporter.complain("\(error); it is not counted", once: true)
            }
            closing.day = closing.time.day(endingAt: shop.dayEnd).description
            for text in options.counted {
                let amount = try await amount(text, "--counted", in: closing)
                guard !closing.cash.contains(where: { $0.currency == amount.currency && $0.counted != nil }) else {
                    throw UsageError("--counted is given twice in \(amount.currency.code)")
                }
                closing.count(amount)
            }
            closing.reason = options.reason
            if closing.isEmpty, !closing.isCounted {
                if context.reporter.printsJSON { try print(closing, isMade: false) }
                console.note("The till \(closing.till) took nothing since its last close.")
                return .done
            }
            if !options.isFinal || context.isDryRun { try print(closing, isMade: false) }
            if left > 0 {
                let count = closing.commands.count
                console.note("It counts the earliest \(count) commands; \(left) are left for the next.")
            }
            if context.isDryRun {
                if options.isFinal { try check(closing, left) }
                console.note("Nothing was written.")
                return .done
            }
            if !options.isFinal {
                let question = "Close the till \(closing.till) as Z \(closing.number)?"
                guard console.canAsk, try console.confirm(question) == true else {
                    console.note("The till was not closed\(console.canAsk ? "" : "; --z closes it").")
                    return .done
                }
                if left == 0 { try await askForCash(&closing, shop) }
            }
            try check(closing, left)
            if try await stock.store(closing) {
                try context.reporter.report("Closed the till \(closing.till) as Z \(closing.number).") {
                    try print(closing, isMade: true)
                }
                return .done
            }
            // What was counted, or seen before the question, belongs to a close that another made.
            guard options.isFinal, !closing.isCounted else {
                throw CommandFailure(
                    .conflict,
                    "nothing was closed: another closed the till \(closing.till) meanwhile, as Z \(closing.number); "
                        + "look at it with `report --z \(closing.number)`, "
                        + "and again at what came since with `till close`")
            }
        }
    }

    /// Shows a close as it was made.
    func show(_ number: Int) async throws -> ExitCode {
        guard let closing = try await stock.closing(number) else {
            throw CommandFailure(
                .notFound, "the till \(stock.source.till) has no close Z \(number); --till names another")
        }
        try print(closing, isMade: true)
        return .done
    }

    private func look(limit: Int) async throws -> (closing: Closing, left: Int) {
        try await stock.openClosing(limit: limit) { console.complain("\($0); it is not counted") }
    }

    /// Parses an amount of cash, with or without its currency.
    private func amount(_ text: String, _ name: String, in closing: Closing) async throws -> Money {
        try await context.amount(
            text, name, taken: Set(closing.sums.map(\.currency) + closing.cash.map(\.currency)))
    }

    /// Asks for the cash that was not given, and for the reason of a difference.
    private func askForCash(_ closing: inout Closing, _ shop: ShopSettings) async throws {
        for index in closing.cash.indices where closing.cash[index].counted == nil {
            let currency = closing.cash[index].currency
            let prompt = "The cash in the drawer, in \(currency.code) (nothing if it was not counted): "
            guard let text = try console.ask(prompt)?.trimmed else {
                throw CommandFailure(.failed, "the input ended, so nothing was closed")
            }
            if text.isEmpty { continue }
            do {
                closing.count(try Money(typed: shop.decimal(text), in: currency))
            } catch {
                throw UsageError("\"\(text.shown)\": \(error.reason); nothing was closed")
            }
        }
        guard closing.differs, closing.reason == nil else { return }
        let reason = try console.ask("It differs by \(closing.differences). Why? ")?.trimmed
        closing.reason = reason.flatMap { $0.isEmpty ? nil : $0 }
    }

    private func check(_ closing: Closing, _ left: Int) throws {
        guard left == 0 || !closing.isCounted else {
            throw UsageError(
                "nothing was closed: there are more commands than one close names, \(left) are left; close without "
                    + "--counted first, then count the cash with the last close")
        }
        guard !closing.differs || closing.reason != nil else {
            throw UsageError(
                "nothing was closed: the counted cash differs by \(closing.differences); count it again, or say why "
                    + "with --reason")
        }
    }

    // MARK: Printing

    /// Prints a table on a terminal, tab-separated lines elsewhere, or an object with `--json`.
    ///
    /// - Parameter isMade: Whether the close is stored, so that it has its number.
    private func print(_ closing: Closing, isMade: Bool) throws {
        if context.reporter.printsJSON {
            let members = closing.json.printed.object?.members ?? []
            let shown = members.filter { $0.name != "token" && (isMade || $0.name != "number") }
            return try context.reporter.print(.object(JSONObject(shown)))
        }
        let day = closing.day.flatMap { $0 == closing.time.day.description ? nil : ", the day of \($0)" } ?? ""
        let title = isMade ? "Z \(closing.number)" : "X"
        console.note(
            "\(title) of the till \(closing.till), \(closing.time.minuteText)\(day): "
                + "\(closing.commands.count.counted("command", "commands")).")
        let columns = [
            Table.Column(title), Table.Column("amount", isNumeric: true, staysWhole: true),
            Table.Column("currency", staysWhole: true),
        ]
        try console.print(closing.lines.map { console.results.isTerminal ? $0 : [title] + $0 }, columns)
    }
}
