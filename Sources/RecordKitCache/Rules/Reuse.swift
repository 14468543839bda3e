import Foundation
import RecordKit

/// Responses that are made from stored ones.
enum Reuse {
    /// Returns the response to a request from an entry, or `nil` if the server must respond.
    ///
    /// - Parameters:
    ///   - entry: The entry.
    ///   - request: The request, which may have a condition or a range.
    ///   - age: The age of the entry in seconds, or `nil` if it has just been validated.
    ///   - body: Returns the stored body, or `nil` if it was removed.
    static func response(
        from entry: CacheEntry, to request: CacheRequest, age: Double?, body: () async -> Data?
    ) async -> NetworkResponse? {
        let call = request.call
        var headers = entry.headers
        if let age { headers["Age"] = Freshness.text(ofAge: age) }
        if entry.statusCode == 200, isNotModified(entry, for: call.headers) {
            for name in ["Content-Length", "Content-Encoding", "Content-Range", "Content-Type"] { headers[name] = nil }
            return NetworkResponse(statusCode: 304, headers: headers, url: call.url)
        }
        if request.isHead { return NetworkResponse(statusCode: entry.statusCode, headers: headers, url: call.url) }
        guard let body = await body() else { return nil }
        let range = entry.statusCode == 200 ? call.headers["Range"] : nil
        guard let range, ifRangeMatches(entry, call.headers) else {
            return NetworkResponse(statusCode: entry.statusCode, headers: headers, body: body, url: call.url)
        }
        // The ranges of an encoded body aren't those of the decoded one.
        guard !headers.contains("Content-Encoding"), let bounds = bounds(of: range, length: body.count) else {
            return nil
        }
        headers["Content-Range"] = "bytes \(bounds.lowerBound)-\(bounds.upperBound)/\(body.count)"
        headers["Content-Length"] = String(bounds.count)
        let part = Data(body[body.startIndex + bounds.lowerBound...body.startIndex + bounds.upperBound])
        return NetworkResponse(statusCode: 206, headers: headers, body: part, url: call.url)
    }

    /// Returns whether the client has the stored response already (RFC 9111 section 4.3.2).
    private static func isNotModified(_ entry: CacheEntry, for request: HTTPHeaders) -> Bool {
        if let condition = request["If-None-Match"] {
            let tags = FieldValue.members(of: condition, hasEscapes: false)
            if tags == ["*"] { return true }
            guard let tag = entry.entityTag else { return false }
            return tags.contains { FieldValue.matchesWeakly($0, tag) }
        }
        guard let condition = request["If-Modified-Since"],
            let date = FieldValue.date(condition, now: entry.received)
        else { return false }
        let changed = entry.lastModified ?? entry.headers["Date"]
        return (changed.flatMap { FieldValue.date($0, now: entry.received) } ?? entry.received) <= date
    }

    /// Returns whether a range applies to the entry (RFC 9110 section 13.1.5).
    private static func ifRangeMatches(_ entry: CacheEntry, _ request: HTTPHeaders) -> Bool {
        guard let condition = request["If-Range"] else { return true }
        if condition.hasPrefix("\"") { return condition == entry.entityTag }
        return condition == entry.lastModified
    }

    /// Returns the bytes of a single range (RFC 9110 section 14.1.2). `nil` for several ones, or for one that the body
    /// doesn't have.
    private static func bounds(of range: String, length: Int) -> ClosedRange<Int>? {
        guard range.lowercased().hasPrefix("bytes=") else { return nil }
        let parts = range.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, length > 0 else { return nil }
        let (first, last) = (number(parts[0]), number(parts[1]))
        switch (parts[0].isEmpty, parts[1].isEmpty) {
        case (true, false):
            guard let last, last > 0 else { return nil }
            return max(length - last, 0)...length - 1
        case (false, true):
            guard let first, first < length else { return nil }
            return first...length - 1
        case (false, false):
            guard let first, let last, first <= last, first < length else { return nil }
            return first...min(last, length - 1)
        case (true, true): return nil
        }
    }

    private static func number(_ text: Substring) -> Int? {
        text.utf8.allSatisfy { $0 >= 48 && $0 <= 57 } ? Int(text) : nil
    }
}
