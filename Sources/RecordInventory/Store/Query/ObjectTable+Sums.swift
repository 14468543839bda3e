import RecordKitJSON
import RecordKitSQLite

extension ObjectTable {
    /// Adds up the sales, returns and trade-ins of some days. Returns `nil` if one of them cannot be read, or a sum is
    /// too large: then the caller reads them one by one, and reports which.
    func sums(
        of days: ClosedRange<CalendarDay>, endingAt hour: Int = 0, bySKU: Bool, _ noted: MovementSums.Field? = nil,
        in list: List
    ) throws -> MovementSums? {
        let kinds = MovementSums.kinds.map { "'\($0.rawValue)'" }.joined(separator: ", ")
        let statement = try database.statement(
            """
            SELECT id, version, data FROM objects WHERE list = ?1 AND deleted = 0
                AND \(SQLBuilder.time()) BETWEEN ?2 AND ?3 AND json_extract(data, '$.kind') IN (\(kinds))
            """)
        let times = days.times
        var sums: MovementSums? = MovementSums(bySKU: bySKU, field: noted)
        try statement.forEachRow(
            [.integer(list.number), .integer(times.lowerBound), .integer(times.upperBound)]
        ) { row in
            guard sums != nil else { return }
            guard let movement = try? Movement(JSONView(stored: Self.read(row).json)), movement.hasSummableAmounts
            else {
                return sums = nil
            }
            guard days.contains(movement.time.day(endingAt: hour)) else { return }
            do { try sums?.add(movement) } catch { sums = nil }
        }
        return sums
    }
}
