public import Foundation

extension NetworkResponse {
    /// Returns the target of the first link with a relation, such as `next`, in the `Link` field (RFC 8288).
    ///
    /// The target is an absolute http or https URL without a fragment. It may be on another server: compare its
    /// ``URLOrigin`` before you send credentials there.
    ///
    /// - Parameter relation: The relation of the link. Case doesn't matter.
    /// - Returns: The target, or `nil` if there is no such link.
    public func link(_ relation: String) -> URL? {
        guard let header = headers["Link"] else { return nil }
        let link = WebLink.all(in: header).first { $0.relations.contains(relation.lowercased()) && !$0.isAnchored }
        // An empty reference is the base URL itself (RFC 3986 section 4.4).
        return link.flatMap { RedirectTarget.resolve($0.target.isEmpty ? url.absoluteString : $0.target, against: url) }
    }
}

/// A link of a `Link` field (RFC 8288 section 3).
struct WebLink {
    let target: String
    /// The relations of the link, in lowercase.
    private(set) var relations: [String] = []
    /// Whether the link starts at another resource than the response (RFC 8288 section 3.2).
    private(set) var isAnchored = false

    /// Returns the links of a field, up to the first invalid one.
    static func all(in header: String) -> [WebLink] {
        var links: [WebLink] = []
        var rest = header[...]
        while true {
            rest = rest.drop { " \t,".contains($0) }
            guard rest.first == "<", let end = rest.firstIndex(of: ">") else { return links }
            let target = rest[..<end].dropFirst()
            rest = rest[end...].dropFirst()
            let parameters = rest.prefix(upTo: rest.firstUnquoted(",") ?? rest.endIndex)
            links.append(WebLink(String(target.trimmed), parameters.parts(betweenUnquoted: ";").dropFirst()))
            rest = rest[parameters.endIndex...]
        }
    }

    private init(_ target: String, _ parameters: some Sequence<Substring>) {
        self.target = target
        var relations: String?
        for parameter in parameters {
            let equals = parameter.firstIndex(of: "=") ?? parameter.endIndex
            switch parameter[..<equals].trimmed.lowercased() {
            // Only the first `rel` counts (RFC 8288 section 3.3).
            case "rel": relations = relations ?? parameter[equals...].dropFirst().trimmed.unquoted
            case "anchor": isAnchored = true
            default: break
            }
        }
        self.relations = relations?.lowercased()[...].parts(between: " ").map(String.init) ?? []
    }
}
