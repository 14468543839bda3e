import RecordKit

/// How stored responses are validated (RFC 9111 section 4.3).
enum Validation {
    /// The number of entity tags that a request names at most.
    private static let tagLimit = 20

    /// Returns the call with conditions for the entries, or `nil` if none of them can be validated.
    ///
    /// - Parameters:
    ///   - call: The call.
    ///   - entries: All entries of its key. The server may select any of them.
    ///   - selected: The entry that matches the call.
    static func conditional(_ call: NetworkCall, for entries: [CacheEntry], selected: CacheEntry?) -> NetworkCall? {
        var tags = selected?.entityTag.map { [$0] } ?? []
        for tag in entries.compactMap(\.entityTag) where !tags.contains(tag) && tags.count < tagLimit {
            tags.append(tag)
        }
        guard !tags.isEmpty || selected?.lastModified != nil else { return nil }
        var call = call
        if !tags.isEmpty { call.headers["If-None-Match"] = tags.joined(separator: ", ") }
        call.headers["If-Modified-Since"] = selected?.lastModified
        return call
    }

    /// Returns the entries that a 304 confirms, the best first (RFC 9111 section 4.3.4).
    static func confirmed(
        by response: HTTPHeaders, of entries: [CacheEntry], selected: CacheEntry?
    ) -> [CacheEntry] {
        // The newest first, and the one that matches the request before all others.
        let entries = entries.sorted { one, other in
            if one.id == selected?.id || other.id == selected?.id { return one.id == selected?.id }
            return one.received > other.received
        }
        if let tag = response["ETag"] {
            if FieldValue.isStrong(tag) {
                let same = entries.filter { $0.entityTag == tag }
                if !same.isEmpty { return same }
            }
            return Array(entries.filter { $0.entityTag.map { FieldValue.matchesWeakly($0, tag) } ?? false }.prefix(1))
        }
        if let date = response["Last-Modified"] {
            return Array(entries.filter { $0.lastModified == date }.prefix(1))
        }
        if let selected { return [selected] }
        return entries.count == 1 ? entries : []
    }

    /// Returns whether the response to a HEAD request describes the body of an entry (RFC 9111 section 4.3.5).
    static func describes(_ head: HTTPHeaders, _ entry: CacheEntry) -> Bool {
        for name in ["ETag", "Last-Modified", "Content-Length"] {
            if let value = head[name], value != entry.headers[name] { return false }
        }
        return true
    }
}
