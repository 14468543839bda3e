import RecordKit

/// The requests of a batch, with what its `defaults` add to each.
struct BatchBody {
    let requests: [StoreRequest]

    private static let methods = ["GET", "HEAD", "DELETE", "TRACE", "POST", "PUT", "PATCH"]

    init(_ request: StoreRequest, limit: Int) throws(StoreRefusal) {
        let body = try request.json()
        guard let members = body.object else { throw .invalid(.body, "", "The body should be a JSON object") }
        if let unknown = members.keys.filter({ $0 != "defaults" && $0 != "requests" }).min() {
            throw .invalid(.body, "", "Unrecognized keys in mapping: \(unknown)")
        }
        guard let listed = members["requests"] else { throw .invalid(.body, "requests", "Required") }
        guard let elements = listed.array else { throw .invalid(.body, "requests", "It should be a JSON array") }
        if let defaults = members["defaults"], defaults.object == nil {
            throw .invalid(.body, "defaults", "It should be a JSON object")
        }
        let defaults = members["defaults"]?.object ?? [:]
        var requests: [StoreRequest] = []
        requests.reserveCapacity(elements.count)
        for (index, element) in elements.enumerated() {
            requests.append(try Self.request(element, defaults, within: request, "requests.\(index)"))
        }
        guard requests.count <= limit else {
            throw .invalid(.body, "requests", "Number of requests is limited to \(limit)")
        }
        guard !requests.contains(where: { (try? StoreRoute(path: $0.path)) == .batch }) else {
            throw .invalid(.body, "requests", "A batch within a batch is forbidden")
        }
        self.requests = requests
    }

    private static func request(
        _ element: JSONValue, _ defaults: [JSONKey: JSONValue], within outer: StoreRequest, _ name: String
    ) throws(StoreRefusal) -> StoreRequest {
        guard let own = element.object else { throw .invalid(.body, name, "It should be a JSON object") }
        let members = adding(defaults, to: own)
        if let unknown = members.keys.filter({ !["method", "path", "headers", "body"].contains($0) }).min() {
            throw .invalid(.body, name, "Unrecognized keys in mapping: \(unknown)")
        }
        guard let path = members["path"]?.string, path.hasPrefix("/") else {
            throw .invalid(.body, "\(name).path", "A path that begins with a slash is required")
        }
        let method = members["method"] ?? "GET"
        guard let method = method == .null ? "GET" : method.string, methods.contains(method) else {
            throw .invalid(.body, "\(name).method", "It is not one of \(methods.joined(separator: ", "))")
        }
        let headers = members["headers"] ?? [:]
        guard let headers = headers.object?.compactMapValues(\.string),
            headers.count == members["headers"]?.object?.count ?? 0
        else { throw .invalid(.body, "\(name).headers", "It should be a JSON object of strings") }
        if let body = members["body"], body.object == nil {
            throw .invalid(.body, "\(name).body", "It should be a JSON object")
        }
        let parts = path.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let prefixed = parts[0].hasPrefix(StoreRoute.prefix) ? String(parts[0]) : StoreRoute.prefix + parts[0]
        var all = outer.headers
        all.merge(HTTPHeaders(headers.map { HTTPHeaders.Field(name: $0.text, value: $1) }))
        return StoreRequest(
            method: HTTPMethod(rawValue: method), path: prefixed, query: parts.count > 1 ? String(parts[1]) : nil,
            headers: all, body: .json(members["body"] ?? [:]), origin: outer.origin)
    }

    /// The defaults fill in what is missing, at every depth.
    private static func adding(_ defaults: [JSONKey: JSONValue], to own: [JSONKey: JSONValue]) -> [JSONKey: JSONValue] {
        own.merging(defaults) { own, other in
            guard let own = own.object, let other = other.object else { return own }
            return .object(adding(other, to: own))
        }
    }
}
