// The values of operands and options, checked without the stock.
extension ArgumentScanner {
    /// Throws if there are too few or too many operands.
    func checkOperands(of command: CommandUsage) throws(UsageError) {
        let wanted = command.operands
        if let surplus = operands.dropFirst(wanted.count.upperBound).first {
            throw UsageError("\(command.name) takes no argument \"\(surplus.shown)\"\(wanted.advice)")
        }
        if operands.count < wanted.count.lowerBound || (!wanted.canBeEmpty && operands.contains("")) {
            throw missingOperand(of: command)
        }
    }

    func missingOperand(of command: CommandUsage) -> UsageError {
        let noun = (command.operands.placeholder ?? "").trimmed { !$0.isLetter }
        return UsageError("\(command.name) requires \(noun == "ID" ? "an" : "a") \(noun)")
    }

    /// Parses the first operand.
    func sku() throws(UsageError) -> SKU { try Self.sku(operands.first ?? "") }

    static func sku(_ text: String) throws(UsageError) -> SKU { try text.parsed(as: "SKU", SKU.init(typed:)) }

    /// Parses the id of a command or of a movement.
    static func id(_ text: String) throws(UsageError) -> String {
        guard text.isKintoID, text.utf8.count <= 200 else {
            throw UsageError(
                "the id \"\(text.shown)\" requires letters, digits, - and _, at most 200, "
                    + "and starts with a letter or digit"
            )
        }
        return text
    }

    /// Parses `--id`, the id of a command that is to be made. The tool itself makes ids that begin with these words.
    func newID() throws(UsageError) -> String? {
        guard let id = try value("--id").map(Self.id) else { return nil }
        if let word = id.split(separator: "-").first, ["deletion", "doctor", "opening", "slot", "undo"].contains(word) {
            throw UsageError("the id \"\(id)\" begins with \"\(word)\", as ids of the tool itself do; give another")
        }
        return id
    }

    /// Parses `-n`.
    func copies() throws(UsageError) -> Int {
        try integer("-n", in: 1...Record.quantities.upperBound) ?? 1
    }

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

    func choice<Choice: RawRepresentable<String> & CaseIterable>(_ name: String) throws(UsageError) -> Choice? {
        guard let text = value(name) else { return nil }
        guard let choice = Choice(rawValue: text) else {
            let choices = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw UsageError("\(name) requires one of \(choices); not \"\(text.shown)\"")
        }
        return choice
    }

    func day(_ name: String) throws(UsageError) -> CalendarDay? {
        try value(name)?.parsed(as: name) { text throws(InvalidValue) in
            let (day, all) = (try CalendarDay(text), CalendarDay.all)
            guard all.contains(day) else {
                throw InvalidValue("not a day from \(all.lowerBound) to \(all.upperBound)")
            }
            return day
        }
    }

    /// Parses the days of `--day`, or of `--from` and `--to`.
    func days() throws(UsageError) -> WantedDays? {
        if let day = try wantedDay("--day") { return WantedDays(first: day, last: day) }
        let days = WantedDays(first: try wantedDay("--from"), last: try wantedDay("--to"))
        if case .date(let first) = days.first, case .date(let last) = days.last, first > last {
            throw UsageError("--from \(first) is later than --to \(last)")
        }
        return days.first == nil && days.last == nil ? nil : days
    }

    private func wantedDay(_ name: String) throws(UsageError) -> WantedDays.Day? {
        switch value(name)?.trimmed.lowercased() {
        case "today": .today
        case "yesterday": .yesterday
        default: try day(name).map { .date($0) }
        }
    }
}

extension RecordField {
    /// Finds the field of a name on the command line.
    ///
    /// - Parameter prefix: The string that stood before the name.
    init(typed name: String, prefix: String = "") throws(UsageError) {
        do {
            try self.init(named: name, prefix: prefix)
        } catch {
            throw UsageError(error)
        }
    }
}

/// The days of `--day`, or of `--from` and `--to`. What is today is known only when the command runs.
struct WantedDays: Equatable, Sendable {
    enum Day: Equatable, Sendable {
        case today, yesterday
        case date(CalendarDay)

        fileprivate func date(_ today: CalendarDay) -> CalendarDay {
            switch self {
            case .today: today
            case .yesterday: CalendarDay(number: today.number - 1)
            case .date(let day): day
            }
        }
    }

    /// `nil` if the range is open there.
    var first: Day?
    var last: Day?

    func range(today: CalendarDay) throws(UsageError) -> ClosedRange<CalendarDay> {
        let first = first?.date(today) ?? CalendarDay.all.lowerBound
        let last = last?.date(today) ?? CalendarDay.all.upperBound
        guard first <= last else { throw UsageError("--from \(first) is later than --to \(last)") }
        return first...last
    }
}
