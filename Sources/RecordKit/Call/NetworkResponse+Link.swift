public import Foundation

extension NetworkResponse {
    /// Where its `Link` header leads (RFC 8288): the first link of a relation such as `next`, as an absolute http or
    /// https address without fragment; nil when there is none.
    ///
    /// It may be of another server; see ``isSameOrigin(as:)``.
    public func link(_ relation: String) -> URL? {
        guard let header = headers["Link"] else { return nil }
        let link = WebLink.all(in: header).first { $0.relations.contains(relation.lowercased()) && !$0.isAnchored }
        // An empty reference means the base itself (RFC 3986 section 4.4).
        return link.flatMap { RedirectTarget.resolve($0.target.isEmpty ? url.absoluteString : $0.target, against: url) }
    }

    /// Whether an address has the scheme, host and port that the call was sent to, before any redirect (RFC 6454
    /// section 5): what it was sent with, such as a key, may go there too.
    public func isSameOrigin(as url: URL) -> Bool {
        Origin(url) == Origin(redirects.first?.url ?? self.url)
    }
}

/// One link of a `Link` header (RFC 8288 section 3).
struct WebLink {
    let target: String
    /// In lower case.
    private(set) var relations: [String] = []
    /// Whether it leads from another place than the one that was asked.
    private(set) var isAnchored = false

    /// The links of a header, up to what is none.
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
            // The first counts (section 3.3).
            case "rel": relations = relations ?? parameter[equals...].dropFirst().trimmed.unquoted
            case "anchor": isAnchored = true
            default: break
            }
        }
        self.relations = relations?.lowercased()[...].parts(between: " ").map(String.init) ?? []
    }
}
