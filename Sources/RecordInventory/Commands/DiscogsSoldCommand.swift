/// Writes the file with which Discogs deletes the listings of copies that were sold here.
struct DiscogsSoldCommand: Command {
    let since: CalendarDay
    /// The path of the file. `-` is standard output.
    let path: String
    var replaces = false

    static let usage = CommandUsage(
        name: "discogs-sold", operands: CommandUsage.Operands("[FILE]", .file, count: 0...1), required: "--since DATE",
        summary: "write the listings to delete at Discogs",
        explanation: """
            Writes a CSV file for "Delete" at Discogs' inventory upload: the listings whose copies left the stock on
            that day or later, sold, written off or found missing, and of which no copy is left now. A copy that came
            back keeps its listing, as does a listing that another record with copies shares. Writes to standard output
            without FILE. The listing of a record that was deleted is not known.
            """,
        options: [
            Option("--since", .date, help: "the first day: that of the last upload, or the day before"), .replace,
        ],
        rules: [.required("--since", " DATE, the first day of the sales")],
        examples: ["discogs-sold --since 2026-11-23 gone.csv"])

    init(_ arguments: ArgumentScanner) throws(UsageError) {
        since = try arguments.day("--since") ?? CalendarDay.all.lowerBound
        path = arguments.operands.first ?? "-"
        replaces = arguments.has("--replace")
    }

    func run(in context: CommandContext) async throws -> ExitCode {
        let console = context.console
        guard try context.mayWrite(path, replaces: replaces, "write") else { return .failed }
        var gone: Set<String> = []
        let days = since...max(since, CalendarDay.all.upperBound)
        let filter = MovementFilter(kinds: [.sale, .writeOff, .count, .correction], times: days.times)
        // The copies of each listing, which several records may share.
        var copies: [Int: Int] = [:]
        var listings: Set<Int> = []
        try await context.work("Reading") { progress in
            var seen = 0
            try await context.eachMovementPage(filter) { movements in
                for movement in movements where movement.quantity < 0 && movement.time.day >= since {
                    gone.insert(movement.sku.text)
                }
                seen += movements.count
                progress.update(seen)
                return true
            }
            try await context.eachPage(orNote: "There are no records") { page in
                for record in page.lazy.map(\.record) {
                    guard let listing = record.discogsListing else { continue }
                    copies[listing, default: 0] += max(0, min(record.quantity, 1))
                    if gone.contains(record.sku.text) { listings.insert(listing) }
                }
                seen += page.count
                progress.update(seen)
                return true
            }
        }
        let sold = listings.filter { copies[$0] == 0 }.sorted()
        let rows = [["listing_id"]] + sold.map { ["\($0)"] }
        if path == "-" {
            for row in rows { try console.print(row[0]) }
        } else {
            let file = try OutputFile(path)
            for row in rows { try file.write(CSVWriter.row(row)) }
            try file.finish()
        }
        console.note(
            sold.isEmpty ? "No listing is to be deleted." : "\(sold.count.counted("listing")) to delete at Discogs.")
        return .done
    }
}
