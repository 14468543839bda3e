import Foundation

/// What the head of a response says about the body and about what follows, for every transport.
extension NetworkResponse {
    /// Returns the length of the body in bytes as it is transferred, or `nil` if only its end shows it (RFC 9112
    /// section 6.3).
    ///
    /// A response to HEAD, a 204 and a 304 have no body, whatever length they name (RFC 9110 section 8.6). With
    /// `Transfer-Encoding`, `Content-Length` doesn't count. Several equal lengths are one.
    ///
    /// - Parameter call: The call that the response belongs to.
    /// - Throws: ``NetworkError/badResponse(_:)`` if `Content-Length` contradicts itself, isn't a number, or
    ///   is too large for one. Such a response may be an attack, since its end is unknown.
    public func contentLength(for call: NetworkCall) throws(NetworkError) -> Int? {
        if call.method == .head || statusCode == 204 || statusCode == 304 { return 0 }
        // No body follows, but the bytes of another protocol.
        if isUpgrade { return nil }
        guard let text = headers["Content-Length"] else { return nil }
        guard let length = text[...].number() ?? Self.length(ofAll: text) else {
            throw .badResponse(NetworkError.BadResponse(host: call.origin.hostAndPort, cause: FramingFault.length))
        }
        return headers.contains("Transfer-Encoding") ? nil : length
    }

    /// Returns the number that all items of a list are.
    private static func length(ofAll list: String) -> Int? {
        let lengths = Set(list[...].parts(between: ",").map { $0.trimmed.number() })
        return lengths.count == 1 ? lengths.first ?? nil : nil
    }

    /// Returns the length of the body as it is delivered, or `nil` if it is unknown, such as that of a compressed body.
    ///
    /// - Parameter call: The call that the response belongs to.
    /// - Throws: The error of ``contentLength(for:)``.
    public func announcedLength(for call: NetworkCall) throws(NetworkError) -> Int? {
        let length = try contentLength(for: call)
        return headers.contains("Content-Encoding") ? nil : length
    }

    /// Returns whether the response is a redirect that the call follows or refuses.
    ///
    /// The caller never sees its body, so a transport may leave it out.
    ///
    /// - Parameter call: The call that the response belongs to.
    public func isRedirect(for call: NetworkCall) -> Bool {
        switch statusCode {
        // RFC 9110 section 15.4. The others of this class don't lead to one URL.
        case 301, 302, 303, 307, 308:
            (call.options.redirects ?? .follow()).applies(to: statusCode, of: call.method)
                && headers.contains("Location")
        default: false
        }
    }
}

/// What is wrong with the head of a response.
enum FramingFault: Error, CustomStringConvertible {
    case length
    case control

    var description: String {
        switch self {
        case .length: "its Content-Length is not one number"
        case .control: "a header field contains a line break or a null character"
        }
    }
}

extension HTTPHeaders {
    /// Whether a value contains a character that could end a field line elsewhere: CR, LF or NUL (RFC 9110 section
    /// 5.5).
    var containsLineBreaks: Bool { fields.contains { Self.lineBreaks.containsAny(of: $0.value) } }

    private static let lineBreaks: ByteSet = "\r\n\0"
}
