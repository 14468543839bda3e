/// The output of `history`: movements by their time, in little memory for any number of them.
struct MovementListing {
    private let days: ClosedRange<CalendarDay>?
    private let dayEnd: Int
    private let limit: Int?
    private let console: Console
    private var printer: RowPrinter<HistoryLine>
    private var sorter: LineSorter

    /// - Parameter limit: The maximum number of movements, the latest. `nil` shows all.
    init(
        days: ClosedRange<CalendarDay>?, endingAt hour: Int, limit: Int?, on console: Console, _ style: OutputStyle
    ) throws {
        dayEnd = hour
        self.days = days
        self.limit = limit
        self.console = console
        printer = RowPrinter(on: console, style)
        // The latest first if only some of them are wanted.
        let isDescending = limit != nil
        sorter = try LineSorter(directions: [isDescending, isDescending], limit: limit)
    }

    /// Whether a line has this field, which takes reading.
    func prints(_ field: String) -> Bool { printer.prints(field) }

    /// Returns whether a movement is of the days that were asked for.
    func isWanted(_ movement: Movement) -> Bool { days?.contains(movement.time.day(endingAt: dayEnd)) ?? true }

    /// Adds a line.
    mutating func sort(_ line: HistoryLine) throws {
        let time = FieldValue.sortable(line.movement.time.milliseconds)
        try sorter.add([time, line.movement.id], line.movement.id, printer.text(of: line))
    }

    /// Prints the movements, the earliest first.
    mutating func print() throws {
        try sorter.finish()
        var latest: [String] = []
        while let next = try sorter.next() {
            if limit == nil { try printer.print(next.text) } else { latest.append(next.text) }
        }
        for text in latest.reversed() { try printer.print(text) }
        try printer.finish()
        if printer.count == 0 { console.note("There are no such movements.") }
    }
}
