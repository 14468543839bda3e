import Foundation
import RecordKit

// GET of a list, and HEAD, which counts its objects.
extension StoreService {
    func read(_ request: StoreRequest, _ list: ObjectTable.List) throws -> StoreResponse {
        let parameters = try QueryParameters(request.query)
        let query = try ListQuery(parameters, now: table.now())
        var response = StoreResponse(version: list.version, body: Array(#"{"data":[]}"#.utf8))
        response.headers.add("Cache-Control", "no-cache, no-store")
        if request.method == .head {
            response.headers.add("Total-Objects", "\(try table.count(of: query, in: list))")
            response.body = []
            return response
        }
        let page = try table.page(of: query, in: list)
        if let next = try nextPage(after: page, of: query, request, parameters) {
            response.headers.add("Next-Page", next)
        }
        response.body = try Self.body(page.objects, fields: query.fields)
        return response
    }

    private static func body(_ objects: [StoredObject], fields: [String]?) throws -> [UInt8] {
        var writer = JSONWriter()
        writer.raw(#"{"data":["#)
        for (index, object) in objects.enumerated() {
            if index > 0 { writer.raw(",") }
            object.write(fields, to: &writer)
        }
        writer.raw("]}")
        return writer.bytes
    }

    /// Returns the URL of the next page: the same parameters, with a token for the end of this page.
    private func nextPage(
        after page: (objects: [StoredObject], isLast: Bool), of query: ListQuery, _ request: StoreRequest,
        _ parameters: QueryParameters
    ) throws -> String? {
        guard !page.isLast, let last = page.objects.last else { return nil }
        let token = PageToken(last, in: query.order).text(for: query.order)
        let kept = parameters.items
            .filter { $0.name != "_limit" && $0.name != "_token" }
            .flatMap { item in item.values.map { (item.name, $0) } }
        let items = (kept + [("_limit", String(query.limit)), ("_token", token)])
            .map { "\($0.percentEncoded)=\($1.percentEncoded)" }
        return "\(request.origin)\(request.path)?\(items.joined(separator: "&"))"
    }
}

extension String {
    /// The string with all but unreserved characters encoded (RFC 3986 section 2.3).
    fileprivate var percentEncoded: String {
        addingPercentEncoding(withAllowedCharacters: .unreserved) ?? self
    }
}

extension CharacterSet {
    fileprivate static let unreserved = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
}

/// The end of a page: the values of the sort fields in its last object. The next page starts after it.
struct PageToken: Equatable {
    /// A value for each sort field, or `nil` if the object lacks the field.
    let values: [JSONValue?]

    /// Makes the token of a page that ends with an object.
    init(_ last: StoredObject, in order: [ListQuery.Order]) {
        let data = last.fields
        values = order.map { order in
            switch order.field {
            case .id: .string(last.id)
            case .version: .integer(last.version)
            case .data, .absent: data.value(at: order.name)
            }
        }
    }

    /// Parses a token. Returns `nil` if it is malformed, or made for another order.
    init?(_ text: String, for order: [ListQuery.Order]) {
        guard let json = Data(base64Encoded: text),
            let members = try? JSONReader.read(Array(json)).object,
            let last = members["last_object"]?.object
        else { return nil }
        values = order.map { last[$0.name] }
        for (order, value) in zip(order, values) {
            switch order.field {
            case .id where value?.string == nil, .version where value?.integer == nil: return nil
            default: break
            }
        }
    }

    func text(for order: [ListQuery.Order]) -> String {
        let members = zip(order, values).compactMap { order, value in
            value.map { JSONObject.Member(name: order.name, value: $0) }
        }
        let last = JSONObject(sorting: members)
        return Data(JSONWriter.bytes(["last_object": .object(last)])).base64EncodedString()
    }
}
