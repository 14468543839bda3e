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
