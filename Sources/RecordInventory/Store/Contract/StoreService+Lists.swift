import RecordKitJSON
import RecordKit

// GET of a list, and HEAD, which counts its objects.
extension StoreService {
    func read(_ request: StoreRequest, _ list: ObjectTable.List) throws -> StoreResponse {
        let query = try ListQuery(request.parameters)
        if request.method == .head {
            var response = StoreResponse([])
            response.headers.add("Total-Objects", "\(try table.count(of: query, in: list))")
            return response
        }
        let page = try table.page(of: query, in: list)
        var writer = JSONText()
        writer.raw(#"{"data":["#)
        writer.list(page.objects) { $0.write(isMinimal: query.hasOnlyIDs, to: &$1) }
        writer.raw("]}")
        var response = StoreResponse(writer.bytes)
        response.headers.add("ETag", "\"\(list.version)\"")
        if !page.isLast, let last = page.objects.last {
            // The same parameters, with a token for the end of this page.
            var next = request.parameters
            next.items.removeAll { $0.name == "_token" }
            next.add("_token", query.token(after: last))
            response.headers.add("Next-Page", "\(request.path)?\(next.encoded)")
        }
        return response
    }
}
