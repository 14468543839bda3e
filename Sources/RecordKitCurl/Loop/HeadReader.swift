import RecordKit

/// Reads the head of a response from its lines.
///
/// Interim heads and trailers are dropped, but count towards the limit.
struct HeadReader {
    /// What a line means for the response.
    enum Progress {
        case more
        /// The line ends the head of the response.
        case complete
        /// The line ends an interim head (RFC 9110 section 15.2).
        case interim
        /// The head exceeds its limit, or a line isn't a header field.
        case invalid(String)
    }

    private(set) var fields: [HTTPHeaders.Field] = []
    private var isComplete = false
    private var bytesLeft: Int

    init(limit: Int) {
        bytesLeft = limit
    }

    /// Adds a line, including its line end.
    ///
    /// - Parameters:
    ///   - line: The bytes of the line.
    ///   - status: Returns the status of the head. Called for its last line.
    mutating func add(_ line: UnsafeRawBufferPointer, status: () -> Int) -> Progress {
        bytesLeft -= line.count
        if bytesLeft < 0 { return .invalid("the head of the response exceeds its limit") }
        if isComplete { return .more }
        let text = Self.trimmed(line[...])
        if text.isEmpty, line.first.map({ $0 == 13 || $0 == 10 }) ?? true {
            // 101 switches protocols, so no other head follows.
            if status() < 200, status() != 101 {
                fields = []
                return .interim
            }
            isComplete = true
            return .complete
        }
        // A line that begins with a space continues the one before (RFC 9112 section 5.2).
        if line[0] == 32 || line[0] == 9 {
            guard let last = fields.popLast() else { return .invalid("a header field has no name") }
            fields.append(HTTPHeaders.Field(name: last.name, value: "\(last.value) \(Self.string(text))"))
            return .more
        }
        guard let colon = text.firstIndex(of: UInt8(ascii: ":")) else {
            // The status line, which libcurl has checked.
            return line.starts(with: "HTTP/".utf8) ? .more : .invalid("a header field has no colon")
        }
        let name = text[..<colon]
        guard !name.isEmpty, name.allSatisfy(Self.isTokenByte) else {
            // A reason phrase may contain a colon.
            return line.starts(with: "HTTP/".utf8) ? .more : .invalid("the name of a header field is not valid")
        }
        let value = Self.trimmed(text[(colon + 1)...])
        fields.append(HTTPHeaders.Field(name: Self.string(name), value: Self.string(value)))
        return .more
    }

    /// Returns a string from UTF-8, or from ISO 8859-1 if it isn't valid UTF-8 (RFC 9110 section 5.5).
    private static func string(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
        String(validating: bytes, as: UTF8.self)
            ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }

    /// Returns the bytes without white space and line ends on both sides.
    private static func trimmed(_ bytes: Slice<UnsafeRawBufferPointer>) -> Slice<UnsafeRawBufferPointer> {
        var bytes = bytes
        while let first = bytes.first, isBlank(first) { bytes.removeFirst() }
        while let last = bytes.last, isBlank(last) { bytes.removeLast() }
        return bytes
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 32 || byte == 9 || byte == 13 || byte == 10 }

    /// Returns whether a byte may be part of a token (RFC 9110 section 5.6.2).
    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 33, 35...39, 42, 43, 45, 46, 48...57, 65...90, 94...122, 124, 126: true
        default: false
        }
    }
}
