import RecordKitJSON
import RecordKitSQLite

extension ObjectTable {
    /// Adds up the sales, returns and trade-ins of some days. Returns `nil` if one of them is no plain movement, or a
    /// sum is too large: then the caller reads them one by one, and reports which.
    ///
    /// SQLite reads the fields of a million objects in two seconds. It would take as long again to group them.
    func sums(
        of days: ClosedRange<CalendarDay>, endingAt hour: Int = 0, _ skus: MovementSums.SKUs? = nil,
        _ noted: MovementSums.Field? = nil, in list: List
    ) throws -> MovementSums? {
        func field(_ name: String) -> String { "json_extract(data, '$.\(name)')" }
        let names = [
            "kind", "payment", "sku", "quantity", "price.amount", "price.currency", "discount", "cost", "time.at",
            "time.offset", "payments", "rounding",
        ]
        let notedNames = noted.map { ["item.artist", "item.\($0.rawValue)"] } ?? []
        let columns = names.map(field) + ["data"] + notedNames.map(field)
        let times = days.times
        let statement = try database.statement(
            """
            SELECT \(columns.joined(separator: ", "))
            FROM objects WHERE list = ?1 AND deleted = 0 AND \(SQLBuilder.time()) BETWEEN ?2 AND ?3
            """)
        var reader = SumReader(days: days, dayEnd: hour, sums: MovementSums(skus: skus, field: noted))
        var isPlain = true
        try statement.forEachRow(
            [.integer(list.number), .integer(times.lowerBound), .integer(times.upperBound)]
        ) { row in
            isPlain = isPlain && reader.add(row)
        }
        return isPlain ? reader.sums : nil
    }
}

/// Adds up the rows of a statement.
private struct SumReader {
    let days: ClosedRange<CalendarDay>
    let dayEnd: Int
    var sums: MovementSums
    var currencies: [String: Currency] = [:]

    /// Adds a row. Returns false if it has to be read in another way.
    mutating func add(_ row: SQLiteStatement) -> Bool {
        guard let kind = Movement.Kind(rawValue: row.text(0)) else { return false }
        guard MovementSums.kinds.contains(kind) else { return true }
        // JSON's true is 1 to SQLite.
        guard row.isInteger(3), row.isInteger(8), row.isInteger(9) || row.isNull(9), row.isText(1) || row.isNull(1),
            row.isText(2) || row.isNull(2) && kind != .tradeIn, row.isInteger(6) || row.isNull(6),
            row.isInteger(7) || row.isNull(7),
            row.isInteger(11) || row.isNull(11), !row.contains(12, ":true"), !row.contains(12, ":false")
        else { return false }
        guard let time = MovementTime(stored: row.integer(8), offset: Int(row.integer(9))),
            Movement.quantities.contains(Int(row.integer(3)))
        else { return false }
        guard days.contains(time.day(endingAt: dayEnd)) else { return true }
        var price: Money?
        if row.isInteger(4) {
            guard let currency = currency(row.text(5)) else { return false }
            price = Money(amount: row.integer(4), currency: currency)
        } else if row.contains(12, #""price":"#) {
            return false
        }
        let isAny = sums.skus == nil || row.isNull(2)
        guard let sku = isAny ? SKU.none : try? SKU(row.text(2)) else { return false }
        var movement = Movement(
            id: "", sku: sku, kind: kind, quantity: Int(row.integer(3)), time: time, till: "")
        movement.price = price
        movement.payment = row.optionalText(1)
        movement.discount = row.isNull(6) ? nil : row.integer(6)
        if let payments = row.optionalText(10) {
            guard let parts = try? JSONView(reading: Array(payments.utf8)).decode([Movement.Payment].self) else {
                return false
            }
            movement.payments = parts
        }
        movement.rounding = row.isNull(11) ? nil : row.integer(11)
        movement.cost = row.isNull(7) ? nil : row.integer(7)
        if let field = sums.field, let artist = row.optionalText(13) {
            movement.item = Movement.Item(artist: artist, title: "")
            switch field {
            case .genre: movement.item?.genre = row.optionalText(14)
            case .format: movement.item?.format = row.optionalText(14)
            case .consignor: movement.item?.consignor = row.optionalText(14)
            }
        }
        return movement.hasSummableAmounts && (try? sums.add(movement)) != nil
    }

    private mutating func currency(_ code: String) -> Currency? {
        if let known = currencies[code] { return known }
        guard let currency = try? Currency(code) else { return nil }
        currencies[code] = currency
        return currency
    }
}
