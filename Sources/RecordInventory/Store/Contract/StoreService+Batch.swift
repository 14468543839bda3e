import Foundation
import RecordKit

// POST of a batch.
extension StoreService {
    func batch(_ request: StoreRequest) throws -> StoreResponse {
        let requests = try BatchBody(request, limit: Self.batchLimit).requests
        let lists = OpenLists()
        var writer = JSONWriter()
        writer.raw(#"{"responses":["#)
        for (index, inner) in requests.enumerated() {
            if index > 0 { writer.raw(",") }
            try Task.checkCancellation()
            // A refused request does not affect the others.
            write(try answerInTransaction(inner, lists), to: inner, &writer)
        }
        writer.raw("]}")
        return StoreResponse(version: nil, body: writer.bytes)
    }

    private func write(_ response: StoreResponse, to request: StoreRequest, _ writer: inout JSONWriter) {
        writer.raw(#"{"status":"#)
        writer.raw(String(response.status).utf8)
        writer.raw(#","path":"#)
        let isPlain = !request.path.utf8.contains(UInt8(ascii: "%"))
        writer.write(isPlain ? request.path : request.path.removingPercentEncoding ?? request.path)
        writer.raw(#","headers":{"#)
        for (index, header) in response.headers.fields.enumerated() {
            if index > 0 { writer.raw(",") }
            writer.write(header.name)
            writer.raw(":")
            writer.write(header.value)
        }
        writer.raw(#"},"body":"#)
        if response.body.isEmpty { writer.raw(#""""#) } else { writer.raw(response.body) }
        writer.raw("}")
    }
}

/// The requests of a batch.
struct BatchBody {
    let requests: [StoreRequest]

    private static let methods = ["GET", "DELETE", "PUT", "PATCH"]

    init(_ request: StoreRequest, limit: Int) throws(StoreRefusal) {
        let body = try request.json()
        guard let members = body.object else { throw .invalid(.body, "", "The body should be a JSON object") }
        try members.check(["requests"], "")
        guard let listed = members["requests"] else { throw .invalid(.body, "requests", "Required") }
        guard let elements = listed.array else { throw .invalid(.body, "requests", "It should be a JSON array") }
        var requests: [StoreRequest] = []
        requests.reserveCapacity(elements.count)
        for (index, element) in elements.enumerated() {
            requests.append(try Self.request(element, within: request, "requests.\(index)"))
        }
        guard requests.count <= limit else {
            throw .invalid(.body, "requests", "Number of requests is limited to \(limit)")
        }
        guard
            !requests.contains(where: {
                // Reading a path takes time, and all paths of an import are in buckets.
                !$0.path.hasPrefix("/v1/buckets/") && (try? StoreRoute(path: $0.path)) == .batch
            })
        else {
            throw .invalid(.body, "requests", "A batch within a batch is forbidden")
        }
        self.requests = requests
    }

    private static func request(
        _ element: JSONValue, within outer: StoreRequest, _ name: String
    ) throws(StoreRefusal) -> StoreRequest {
        guard let members = element.object else { throw .invalid(.body, name, "It should be a JSON object") }
        try members.check(["method", "path", "headers", "body"], name)
        guard let path = members["path"]?.string, path.hasPrefix("/") else {
            throw .invalid(.body, "\(name).path", "A path that begins with a slash is required")
        }
        let method = members["method"] ?? "GET"
        guard let method = method == .null ? "GET" : method.string, methods.contains(method) else {
            throw .invalid(.body, "\(name).method", "It is not one of \(methods.joined(separator: ", "))")
        }
        let own = (members["headers"] ?? [:]).object?.members
        let fields = own?.compactMap { header in
            header.value.string.map { HTTPHeaders.Field(name: header.name, value: $0) }
        }
        guard let fields, fields.count == own?.count else {
            throw .invalid(.body, "\(name).headers", "It should be a JSON object of strings")
        }
        if let body = members["body"], body.object == nil {
            throw .invalid(.body, "\(name).body", "It should be a JSON object")
        }
        let parts = path.utf8.split(separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
            .map { String(Substring($0)) }
        let prefixed = parts[0].hasPrefix(StoreRoute.prefix) ? parts[0] : StoreRoute.prefix + parts[0]
        var headers = outer.headers
        headers.merge(HTTPHeaders(fields))
        return StoreRequest(
            method: HTTPMethod(rawValue: method), path: prefixed, query: parts.count > 1 ? parts[1] : nil,
            headers: headers, body: .json(members["body"] ?? [:]), origin: outer.origin)
    }
}

extension JSONObject {
    /// Throws 400 if there is a member of another name.
    func check(_ names: [String], _ location: String) throws(StoreRefusal) {
        guard let unknown = members.first(where: { !names.contains($0.name) })?.name else { return }
        throw .invalid(.body, location, "Unrecognized keys in mapping: \(unknown)")
    }
}
