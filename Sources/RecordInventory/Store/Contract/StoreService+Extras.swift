import RecordKitJSON
import RecordKit
import RecordKitSQLite

// Requests that Kinto does not support, for what takes long page by page.
extension StoreService {
    /// Adds up the movements of some days. The response has a row for each sum, or null if the store cannot add them
    /// up.
    func sums(_ request: StoreRequest, in list: ObjectTable.List) throws -> StoreResponse {
        let items = request.parameters.items
        let numbers = items.compactMap { Int($0.value) }
        guard numbers.count == 3, numbers[0] <= numbers[1], numbers[1] <= CalendarDay.all.upperBound.number,
            ShopSettings.dayEnds.contains(numbers[2])
        else { throw StoreRefusal.invalid("two days and an hour are required") }
        let days = CalendarDay(number: numbers[0])...CalendarDay(number: numbers[1])
        let field = items.first { $0.name == "field" }.flatMap { MovementSums.Field(rawValue: $0.value) }
        let skus = items.first { $0.name == "skus" }.flatMap { MovementSums.SKUs(rawValue: $0.value) }
        let sums = try table.sums(of: days, endingAt: numbers[2], skus, field, in: list)
        var writer = JSONText()
        writer.raw(#"{"data":"#)
        if let sums { writer.raw(try sums.encoded()) } else { writer.write(JSONValue.null) }
        writer.raw("}")
        return StoreResponse(writer.bytes)
    }

    /// Checks the file.
    ///
    /// - Throws: `SQLITE_CORRUPT` with the first fault, if there is one.
    func check() throws -> StoreResponse {
        try table.database.check()
        return StoreResponse(Array("{}".utf8))
    }
}
