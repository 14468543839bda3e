import RecordKit

// Requests that Kinto does not know, for what takes long page by page.
extension StoreService {
    /// Adds up the movements of some days. The response has a row for each sum, or null if the store cannot add them up.
    func sums(_ request: StoreRequest, in list: ObjectTable.List) throws -> StoreResponse {
        let parameters = try QueryParameters(request.query)
        guard let first = try parameters.integer("from"), let last = try parameters.integer("to"), first <= last,
            last <= CalendarDay.all.upperBound.number
        else { throw StoreRefusal.invalid(.querystring, "from", "Two days are required") }
        let days = CalendarDay(number: Int(first))...CalendarDay(number: Int(last))
        let sums = try table.sums(of: days, bySKU: parameters.values("by") == ["sku"], in: list)
        var writer = JSONWriter()
        writer.raw(#"{"data":"#)
        if let sums { sums.write(to: &writer) } else { writer.write(JSONValue.null) }
        writer.raw("}")
        return StoreResponse(version: nil, body: writer.bytes)
    }

    /// Checks the file.
    ///
    /// - Throws: `SQLITE_CORRUPT` with the first fault, if there is one.
    func check() throws -> StoreResponse {
        try table.database.check()
        return StoreResponse(version: nil, body: Array("{}".utf8))
    }
}
