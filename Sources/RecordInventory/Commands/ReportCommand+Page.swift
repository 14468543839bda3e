extension ReportCommand {
    /// Writes the report as a page.
    func write(_ path: String, _ context: CommandContext) async throws -> ExitCode {
        guard try context.mayWrite(path, replaces: replaces, "write") else { return .failed }
        var report = self
        report.group = .genre
        let idleDays = deadStock ?? 180
        let dayEnd = try await context.stock.readSettings().dayEnd
        let today = context.stock.source.now().day(endingAt: dayEnd)
        let wanted = try days?.range(today: today) ?? CalendarDay(number: today.number - 29)...today
        // Only a sale that notes no genre needs its record.
        var sums = MovementSums(skus: .unnoted, field: .genre)
        var takings: [Currency: [CalendarDay: Int64]] = [:]
        let filter = MovementFilter(kinds: MovementSums.kinds, times: wanted.times)
        try await context.eachMovementPage(filter) { movements in
            for movement in movements {
                let day = movement.time.day(endingAt: dayEnd)
                guard wanted.contains(day) else { continue }
                try sums.add(movement)
                guard MovementSums.sold.contains(movement.kind), let paid = movement.paid else { continue }
                takings[paid.currency, default: [:]][day, default: 0] &+= paid.amount &+ (movement.rounding ?? 0)
            }
            return true
        }
        // A page has a bar for each day, so an open range begins with a movement, and ends today or with a later one.
        let known = takings.values.flatMap(\.keys)
        let first = wanted.first ?? known.min() ?? today
        let last = wanted.last ?? max(known.max() ?? first, today, first)
        let records = try await report.records(Set(sums.sums.keys.compactMap(\.sku)), context)
        let dead = try await deadStock(
            idleDays, endingAt: dayEnd, first: ReportPage.deadStockLimit, context
        ) { ReportPage.row($0, last: $1).html }
        var rows: [HTMLText] = []
        try dead.forEach { rows.append("\(raw: $0)") }
        let page = ReportPage(
            shop: context.stock.bucket, days: min(first, last)...last,
            payments: try Takings.totals(of: sums) { $0.payment ?? "(not named)" },
            genres: try Takings.totals(of: sums) { key in
                let genre = key.noted ?? key.sku.flatMap { records[$0.text]?.genre } ?? ""
                return genre.isEmpty ? "(no genre)" : genre
            },
            takings: takings,
            deadStock: rows, deadStockCount: dead.count, deadStockDays: idleDays)
        let file = try OutputFile(path)
        try file.write(page.html.utf8)
        try file.finish()
        context.console.note("Wrote the report to \(path).")
        return .done
    }
}
