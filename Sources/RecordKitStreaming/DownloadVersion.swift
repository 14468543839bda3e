import Foundation
import RecordKit
import RecordKitDigest

/// The version of a resource that a partial file contains: what a later request needs to continue with the same bytes.
struct DownloadVersion: Codable, Sendable {
    /// The SHA-256 of the URL. The URL itself may contain a credential.
    let url: String
    /// The strong entity tag.
    var eTag: String?
    /// The date of the last change, if the version has no entity tag and the date is a strong validator.
    var lastModified: String?
    /// The length of the whole file, if the server sent it.
    var total: Int?
    /// The `Repr-Digest` or `Content-Digest` of the whole file, if the server has sent one.
    var digest: String?

    /// Returns the version in the response to a GET request with the whole file, or `nil` if a later request can't
    /// continue it.
    ///
    /// The positions in an encoded body aren't those in the file.
    init?(_ head: NetworkResponse, total: Int?, of call: NetworkCall) {
        let headers = head.headers
        guard call.method == .get, [200, 206].contains(head.statusCode), !headers.contains("Content-Encoding"),
            headers["Accept-Ranges"]?.lowercased() != "none"
        else { return nil }
        url = Self.name(of: call.url)
        self.total = total
        // The content is the whole file, so both digests are of the same bytes.
        digest = headers["Repr-Digest"] ?? headers["Content-Digest"]
        if let tag = headers["ETag"] {
            // A weak entity tag doesn't indicate whether the bytes are the same. A date must not take its place (RFC
            // 9110 section 13.1.5). One with a control character can't be sent back.
            guard tag.hasPrefix("\""), HTTPHeaders.isValid(value: tag) else { return nil }
            eTag = tag
        } else if let date = headers["Last-Modified"], Self.isStrong(date, sent: headers["Date"]) {
            lastModified = date
        } else {
            return nil
        }
    }

    /// Returns whether a date is a strong validator (RFC 9110 section 8.8.2.2).
    ///
    /// A file may change twice in a second, and its clock may not be the server's. A minute is enough for both.
    private static func isStrong(_ lastModified: String, sent: String?) -> Bool {
        guard let changed = HTTPDate(lastModified), let sent = sent.flatMap({ HTTPDate($0) }) else { return false }
        return sent.date.timeIntervalSince(changed.date) >= 60
    }

    /// Returns the name of a URL in ``url``.
    private static func name(of url: URL) -> String {
        MessageDigest.of(Data(url.absoluteString.utf8), .sha256).hexadecimal
    }

    /// Returns whether a call requests the resource of this version.
    func isOf(_ call: NetworkCall) -> Bool {
        call.method == .get && url == Self.name(of: call.url)
    }

    /// The value of `If-Range`.
    var validator: String? { eTag ?? lastModified }

    /// Returns the position to continue at, with a file of this size. Returns 0 to start over.
    ///
    /// Of a complete file, the last byte is requested again, to learn whether the version is still the current one.
    func start(after size: Int) -> Int {
        guard let total else { return size }
        return size > total ? 0 : max(min(size, total - 1), 0)
    }

    /// Returns the range in a 206 response, or `nil` if it doesn't continue this version at `start`.
    ///
    /// Parts of a file belong together only if they have the same strong validator (RFC 9110 section 15.3.7.3).
    func range(in head: NetworkResponse, from start: Int) -> ContentRange? {
        guard let range = head.headers["Content-Range"].flatMap({ ContentRange($0) }), range.start == start,
            (total ?? range.total) == range.total, isContained(in: head)
        else { return nil }
        return range
    }

    /// Returns whether a response has the strong validator of this version, and no encoding.
    func isContained(in head: NetworkResponse) -> Bool {
        guard let validator, !head.headers.contains("Content-Encoding") else { return false }
        return validator == head.headers[eTag == nil ? "Last-Modified" : "ETag"]
    }
}

extension NetworkResponse {
    /// Returns whether the body of a 2xx response is certainly the whole file, as far as the head says.
    ///
    /// `Content-Range` has no meaning with most statuses (RFC 9110 section 14.4). A server that sends it nevertheless
    /// may have sent the part that it names.
    ///
    /// - Parameter length: The length of the body, if it is known.
    func isWhole(length: Int?) -> Bool {
        switch statusCode {
        // A report on the request, nothing, or the difference to another version (RFC 9110 section 15.3, RFC 3229).
        case 202, 204, 205, 226: return false
        case 200, 206:
            guard headers.contains("Content-Range") else { return statusCode == 200 }
            guard let range = contentRange, range.start == 0, range.end == range.total else { return false }
            return length == nil || length == range.total
        default: return !headers.contains("Content-Range")
        }
    }

    /// The length of the file that `Content-Range` names, unless the body has an encoding.
    var wholeLength: Int? {
        headers.contains("Content-Encoding") ? nil : contentRange?.total
    }

    /// The checksum of this response's body, if it has no encoding (RFC 9530 section 2).
    var contentDigest: FileChecksum? {
        if headers.contains("Content-Encoding") { return nil }
        return headers["Content-Digest"].flatMap { FileChecksum(digestField: $0) }
    }

    private var contentRange: ContentRange? {
        headers["Content-Range"].flatMap { ContentRange($0) }
    }
}

/// A range with its position and the total length: `bytes 10-19/200` (RFC 9110 section 14.4).
struct ContentRange: Sendable {
    let start: Int
    /// The position after the last byte.
    let end: Int
    let total: Int

    /// Parses a range of bytes. Returns `nil` if it is of another unit, or its total length is unknown.
    init?(_ text: String) {
        let words = text.split(separator: " ")
        guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
        let parts = words[1].split(omittingEmptySubsequences: false) { $0 == "-" || $0 == "/" }.map { $0.decimal }
        guard parts.count == 3, let start = parts[0], let last = parts[1], let total = parts[2], start <= last,
            last < total
        else { return nil }
        (self.start, end, self.total) = (start, last + 1, total)
    }
}
