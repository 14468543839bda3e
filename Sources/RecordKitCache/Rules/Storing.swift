import Foundation
import RecordKit

/// Whether and how a response is stored (RFC 9111 section 3).
enum Storing {
    /// Returns whether the response to a GET request may be stored.
    static func allows(_ response: NetworkResponse, to call: NetworkCall) -> Bool {
        let status = response.statusCode
        if call.method != .get || status < 200 || status == 206 || status == 304 { return false }
        if call.headers.contains("Range") { return false }
        let headers = response.headers
        let control = CacheControl(headers["Cache-Control"])
        if control.has("must-understand") {
            if !StatusRules.isUnderstood(status) { return false }
        } else if control.has("no-store") {
            return false
        }
        if response.mediaType?.essence == "text/event-stream" { return false }
        return control.has("max-age") || headers.contains("Expires") || control.has("public") || control.has("private")
            || StatusRules.isHeuristicallyCacheable(status)
    }

    /// Returns whether a body has the length that its response announces. The length of a decoded body isn't known.
    static func isComplete(_ body: Data, of headers: HTTPHeaders) -> Bool {
        if headers.contains("Content-Encoding") || headers.contains("Transfer-Encoding") { return true }
        guard let announced = headers["Content-Length"] else { return true }
        return Int(announced) == body.count
    }

    /// Returns the entry for a response, or `nil` if it matches no other request.
    static func entry(
        for response: NetworkResponse, to request: CacheRequest, bodyLength: Int, requested: Date, received: Date
    ) -> CacheEntry? {
        guard let selectors = Selector.all(of: response.headers, in: request.call.headers) else { return nil }
        var headers = stored(response.headers)
        headers.markSensitive(request.call.headers.sensitiveNames)
        return CacheEntry(
            key: request.key, statusCode: response.statusCode, headers: headers, requested: requested,
            received: received, bodyLength: bodyLength, selectors: selectors)
    }

    /// Returns the header fields that are stored (RFC 9111 section 3.1): not those of the connection, and not those
    /// that `no-cache` names.
    static func stored(_ headers: HTTPHeaders) -> HTTPHeaders {
        var names: Set = [
            "connection", "keep-alive", "proxy-authenticate", "proxy-authentication-info", "proxy-authorization",
            "proxy-connection", "te", "transfer-encoding", "upgrade",
        ]
        if let connection = headers["Connection"] {
            names.formUnion(FieldValue.members(of: connection).map { $0.lowercased() })
        }
        names.formUnion((CacheControl(headers["Cache-Control"]).uncachedNames ?? []).map { $0.lowercased() })
        var stored = HTTPHeaders(headers.filter { !names.contains($0.name.lowercased()) })
        stored.markSensitive(headers.sensitiveNames)
        return stored
    }

    /// Returns whether the response to a POST request may be stored for later GET requests: it says for how long it is
    /// fresh, and that its body is what its URL has (RFC 9110 section 9.3.3).
    static func allowsForGet(_ response: NetworkResponse, to call: NetworkCall) -> Bool {
        let headers = response.headers
        guard call.method == .post, response.isSuccess, response.statusCode != 206,
            CacheControl(headers["Cache-Control"]).has("max-age") || headers.contains("Expires"),
            let location = headers["Content-Location"],
            let url = URL(string: location, relativeTo: call.url)?.absoluteURL
        else { return false }
        return NormalizedURL(url) == NormalizedURL(call.url)
    }

    /// Returns an entry updated with the header fields of a newer response (RFC 9111 section 3.2).
    ///
    /// - Parameters:
    ///   - entry: The entry.
    ///   - headers: The fields of a 304, or of the response to a HEAD request.
    ///   - request: The request that the newer response is for.
    static func updated(
        _ entry: CacheEntry, with headers: HTTPHeaders, of request: CacheRequest, requested: Date, received: Date
    ) -> CacheEntry {
        var newer = stored(headers)
        // They describe the stored body. It is decoded, so its coding doesn't change either.
        for name in ["Content-Encoding", "Content-Length", "Content-Range"] { newer[name] = nil }
        var updated = entry.headers
        // The age of the stored response has nothing to do with that of the newer one.
        updated["Age"] = nil
        updated["Date"] = nil
        updated.merge(newer)
        // The entry is what the server has chosen for this request, so a new `Vary` applies to its fields.
        var selectors = entry.selectors
        if updated["Vary"] != entry.headers["Vary"] {
            selectors = Selector.all(of: updated, in: request.call.headers) ?? Selector.none
        }
        return CacheEntry(
            id: entry.id, key: entry.key, statusCode: entry.statusCode, headers: updated, requested: requested,
            received: received, bodyLength: entry.bodyLength, selectors: selectors)
    }
}
