// The day's takings.
extension CommandRunner {
    func report(_ report: Command.Report) async throws -> ExitCode {
        let today = stock.source.now().day
        let days = report.days ?? today...today
        let first = days.lowerBound == CalendarDay.all.lowerBound ? nil : days.lowerBound
        let last = days.upperBound == CalendarDay.all.upperBound ? nil : days.upperBound
        var exitCode = ExitCode.done
        let sums = try await stock.sums(of: days, bySKU: report.group != .payment || report.lowStock != nil) { error in
            console.complain("\(error); it is left out")
            exitCode = .partlyDone
        }
        let records = try await records(for: report, Set(sums.sums.keys.compactMap(\.sku)))
        let totals = Takings.totals(of: sums) { key in
            let record = key.sku.flatMap { records[$0.text] }
            return switch report.group {
            case .payment: key.payment ?? "(not named)"
            case .genre: record?.genre ?? "(no genre)"
            case .format: record?.format ?? "(no format)"
            }
        }
        let low = report.lowStock.map { limit in
            let sold = Set(sums.sums.keys.filter { $0.kind == .sale }.compactMap(\.sku?.text))
            return records.values.filter { sold.contains($0.sku.text) && $0.quantity <= limit }
                .sorted { ($0.quantity, $0.sku) < ($1.quantity, $1.sku) }
        }
        let dead =
            if let limit = report.deadStock { try await deadStock(limit, today, records) } else { [Record]?.none }
        if printsJSON {
            var members = [
                JSONObject.Member(name: "from", value: JSONValue(first?.description)),
                JSONObject.Member(name: "to", value: JSONValue(last?.description)),
                JSONObject.Member(name: "takings", value: .array(totals.map { $0.json(report.group.rawValue) })),
            ]
            for (name, records) in [("low_stock", low), ("dead_stock", dead)] {
                if let records { members.append(JSONObject.Member(name: name, value: .array(records.map(\.json)))) }
            }
            try console.print(json: JSONValue.object(JSONObject(members)).text(pretty: console.results.isTerminal))
            return exitCode
        }
        let range =
            switch (first, last) {
            case (let first?, let last?): first == last ? "\(first)" : "\(first) to \(last)"
            case (let first?, nil): "since \(first)"
            case (nil, let last): last.map { "until \($0)" } ?? "all days"
            }
        if totals.isEmpty { console.note("\(range): nothing was sold.") }
        for total in totals {
            for line in total.lines(report.group.rawValue) { try console.print(fields: [range] + line) }
        }
        for (title, records) in [("low stock", low), ("dead stock", dead)] {
            guard let records else { continue }
            console.note("\(title): \(records.count).")
            for record in records {
                try console.print(fields: [title, record.sku.text, "\(record.quantity)", record.artist, record.title])
            }
        }
        return exitCode
    }

    /// Returns the records that the report names, by SKU. Reads one by one what was sold on a day, and a whole stock only
    /// if it must.
    private func records(for report: Command.Report, _ moved: Set<SKU>) async throws -> [String: Record] {
        var records: [String: Record] = [:]
        if report.group == .payment, report.lowStock == nil, report.deadStock == nil { return records }
        if report.deadStock == nil, moved.count <= 500 {
            for sku in moved { records[sku.text] = try await stock.find(sku)?.record }
            return records
        }
        do {
            _ = try await eachPage { page in
                for record in page.lazy.map(\.record)
                where moved.contains(record.sku) || (report.deadStock != nil && record.quantity > 0) {
                    records[record.sku.text] = record
                }
                return true
            }
        } catch InventoryError.noShop {
            reportMissingShop("There are no records")
        }
        return records
    }

    /// Returns the records in stock that neither came in nor were sold for some days, the longest first.
    private func deadStock(_ limit: Int, _ today: CalendarDay, _ records: [String: Record]) async throws -> [Record] {
        var last: [String: CalendarDay] = [:]
        let filter = MovementFilter(kinds: [.opening, .sale, .return, .restock, .tradeIn])
        try await stock.eachMovementPage(filter) { page in
            for movement in page.movements {
                last[movement.sku.text] = max(last[movement.sku.text] ?? movement.time.day, movement.time.day)
            }
            return true
        }
        return records.values
            .filter { record in
                record.quantity > 0 && last[record.sku.text].map { today.number - $0.number >= limit } ?? true
            }
            .sorted { ((last[$0.sku.text]?.number ?? 0), $0.sku) < ((last[$1.sku.text]?.number ?? 0), $1.sku) }
    }
}

/// What was sold in one currency.
struct Takings: Equatable {
    let currency: Currency
    var soldCopies = 0
    var returnedCopies = 0
    /// What was paid, less what was given back, in minor units.
    var takings: Int64 = 0
    var discounts: Int64 = 0
    var tradedInCopies = 0
    /// What was paid for trade-ins.
    var paidOut: Int64 = 0
    /// The takings of copies whose cost is known, less the cost.
    var margin: Int64 = 0
    var copiesWithCost = 0
    var groups: [String: Group] = [:]

    struct Group: Equatable {
        var copies = 0
        var takings: Int64 = 0
    }

    /// Adds up sales, returns and trade-ins by currency.
    static func totals(of sums: MovementSums, by name: (MovementSums.Key) -> String) -> [Takings] {
        var totals: [String: Takings] = [:]
        for (key, sum) in sums.sums {
            guard let currency = key.currency else { continue }
            totals[currency.code, default: Takings(currency: currency)].add(sum, key.kind, name(key))
        }
        return totals.values.sorted { $0.currency.code < $1.currency.code }
    }

    private mutating func add(_ sum: MovementSums.Sum, _ kind: Movement.Kind, _ name: String) {
        if kind == .tradeIn {
            tradedInCopies &+= sum.copiesIn &- sum.copiesOut
            paidOut &-= sum.paid
            return
        }
        soldCopies &+= sum.copiesOut
        returnedCopies &+= sum.copiesIn
        takings &+= sum.paid
        discounts &+= sum.discounts
        copiesWithCost &+= sum.copiesWithCost
        margin &+= sum.margin
        groups[name, default: Group()].copies &+= sum.copiesOut &- sum.copiesIn
        groups[name, default: Group()].takings &+= sum.paid
    }

    private func text(_ amount: Int64) -> String { Money(amount: amount, currency: currency).decimalText }

    /// The lines of the report: what, how many copies, how much, in which currency.
    func lines(_ group: String) -> [[String]] {
        var lines = [["takings", "\(soldCopies - returnedCopies)", text(takings), currency.code]]
        for (name, part) in groups.sorted(by: { $0.key < $1.key }) {
            lines.append(["\(group) \(name)", "\(part.copies)", text(part.takings), currency.code])
        }
        lines.append(["sold", "\(soldCopies)", "", currency.code])
        if returnedCopies != 0 { lines.append(["returned", "\(returnedCopies)", "", currency.code]) }
        if discounts != 0 { lines.append(["discounts", "", text(discounts), currency.code]) }
        if tradedInCopies != 0 || paidOut != 0 {
            lines.append(["trade-ins paid", "\(tradedInCopies)", text(paidOut), currency.code])
        }
        if copiesWithCost != 0 { lines.append(["margin", "\(copiesWithCost)", text(margin), currency.code]) }
        return lines
    }

    func json(_ group: String) -> JSONValue {
        [
            "currency": .string(currency.code), "takings": .integer(takings), "sold": JSONValue(soldCopies),
            "returned": JSONValue(returnedCopies), "discounts": .integer(discounts),
            "traded_in": JSONValue(tradedInCopies), "paid_out": .integer(paidOut),
            "margin": copiesWithCost == 0 ? .null : .integer(margin), "copies_with_cost": JSONValue(copiesWithCost),
            "by": .string(group),
            "groups": .array(
                groups.sorted { $0.key < $1.key }.map { name, part in
                    ["name": .string(name), "copies": JSONValue(part.copies), "takings": .integer(part.takings)]
                }),
        ]
    }
}
