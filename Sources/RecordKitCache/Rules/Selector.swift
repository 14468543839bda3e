import RecordKit

/// A request field that `Vary` names, with its value in the request (RFC 9111 section 4.1).
struct Selector: Hashable, Sendable, Codable {
    /// The name in lower case.
    let name: String
    /// The normalized value, or `nil` if the request had no such field.
    let value: String?

    /// The selectors of a stored response that no longer matches any request.
    static let none = [Selector(name: "*", value: nil)]

    /// The number of fields that `Vary` may name. A response with more matches no other request.
    private static let limit = 100

    /// Returns the selectors of a response, or `nil` if it matches no other request (`Vary: *`).
    ///
    /// Sensitive fields are left out, since they are part of the ``CacheKey``.
    static func all(of response: HTTPHeaders, in request: HTTPHeaders) -> [Selector]? {
        guard let vary = response["Vary"] else { return [] }
        let names = Set(FieldValue.members(of: vary).map { $0.lowercased() })
        if names.contains("*") || names.count > limit { return nil }
        return names.filter { !request.isSensitive($0) }.sorted().map {
            Selector(name: $0, value: value(of: $0, in: request))
        }
    }

    /// Returns whether a request has the same value.
    func matches(_ request: HTTPHeaders) -> Bool {
        name != "*" && Self.value(of: name, in: request) == value
    }

    /// Returns the value of a field without insignificant differences: space around the members of a list, and for the
    /// fields of content negotiation also their order and letter case. Their weights state the preference.
    private static func value(of name: String, in request: HTTPHeaders) -> String? {
        guard let value = request[name] else { return nil }
        let members = FieldValue.members(of: value).map(String.init)
        guard ["accept", "accept-charset", "accept-encoding", "accept-language"].contains(name) else {
            return members.joined(separator: ",")
        }
        return members.map { $0.lowercased().replacing(" ", with: "") }.sorted().joined(separator: ",")
    }
}
