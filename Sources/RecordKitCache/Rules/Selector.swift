import RecordKit

/// A request field that `Vary` names, with its value in the request (RFC 9111 section 4.1).
struct Selector: Hashable, Sendable, Codable {
    /// The name in lower case.
    let name: String
    /// The normalized value, or `nil` if the request had no such field.
    let value: String?

    /// Returns the selectors of a response, or `nil` if it matches no other request (`Vary: *`).
    ///
    /// Sensitive fields are left out, since they are part of the ``CacheKey``.
    static func all(of response: HTTPHeaders, in request: HTTPHeaders) -> [Selector]? {
        guard let vary = response["Vary"] else { return [] }
        var selectors: [Selector] = []
        for member in FieldValue.members(of: vary) {
            if member == "*" { return nil }
            let name = member.lowercased()
            if request.isSensitive(name) || selectors.contains(where: { $0.name == name }) { continue }
            selectors.append(Selector(name: name, value: value(of: name, in: request)))
        }
        return selectors.sorted { $0.name < $1.name }
    }

    /// Returns whether a request has the same value.
    func matches(_ request: HTTPHeaders) -> Bool {
        Self.value(of: name, in: request) == value
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
