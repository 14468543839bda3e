import RecordKit

/// Reads the head of a response from its lines, and the trailers after its body.
///
/// Interim heads are dropped, but count towards the limit, as the trailers do.
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
    /// The fields after the body (RFC 9110 section 6.5).
    private(set) var trailers: [HTTPHeaders.Field] = []
    private var isComplete = false
    private var bytesLeft: Int

    init(limit: Int) {
        bytesLeft = limit
        // Most heads have fewer fields, so that the array doesn't grow step by step.
        fields.reserveCapacity(16)
    }

    /// Adds a line, including its line end.
    ///
    /// - Parameters:
    ///   - line: The bytes of the line.
    ///   - status: Returns the status of the head. Called for its last line.
    mutating func add(_ line: UnsafeRawBufferPointer, status: () -> Int) -> Progress {
        bytesLeft -= line.count
        if bytesLeft < 0 { return .invalid("the head of the response exceeds its limit") }
        let text = Self.trimmed(line)
        if text.isEmpty, line.first.map({ $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: "\n") }) ?? true {
            if isComplete { return .more }
            // 101 switches protocols, so no other head follows.
            if status() < 200, status() != 101 {
                fields.removeAll(keepingCapacity: true)
                return .interim
            }
            isComplete = true
            return .complete
        }
        let colon = text.firstIndex(of: UInt8(ascii: ":"))
        var isASCII = true
        for byte in text where byte < 32 || byte > 127 {
            if byte > 127 { isASCII = false }
            // Another reader may take the line to end there (RFC 9110 section 5.5).
            if byte == 0 || byte == UInt8(ascii: "\r") {
                return .invalid("a header field contains a line break or a null")
            }
        }
        // A line that begins with a space continues the one before (RFC 9112 section 5.2).
        if line[0] == UInt8(ascii: " ") || line[0] == UInt8(ascii: "\t") {
            guard let last = isComplete ? trailers.popLast() : fields.popLast() else {
                return .invalid("a header field has no name")
            }
            add(HTTPHeaders.Field(received: last.name, value: "\(last.value) \(Self.string(text, isASCII))"))
            return .more
        }
        guard let colon else {
            // The status line, which libcurl has checked.
            return line.starts(with: "HTTP/".utf8) ? .more : .invalid("a header field has no colon")
        }
        let name = UnsafeRawBufferPointer(rebasing: text[..<colon])
        guard Self.isToken(name) else {
            // A reason phrase may contain a colon.
            return line.starts(with: "HTTP/".utf8) ? .more : .invalid("the name of a header field is not valid")
        }
        let value = Self.trimmed(UnsafeRawBufferPointer(rebasing: text[(colon + 1)...]))
        let string = Self.string(value, isASCII)
        // A character of ISO 8859-1 is one byte there, and two in UTF-8.
        let isLatin1 = string.utf8.count != value.count
        add(HTTPHeaders.Field(received: Self.string(name, true), value: string, isLatin1: isLatin1))
        return .more
    }

    private mutating func add(_ field: consuming HTTPHeaders.Field) {
        if isComplete { trailers.append(field) } else { fields.append(field) }
    }

    /// Returns a string from UTF-8, or from ISO 8859-1 if it isn't valid UTF-8 (RFC 9110 section 5.5).
    ///
    /// Validating takes longer than decoding, and almost all heads are ASCII.
    private static func string(_ bytes: UnsafeRawBufferPointer, _ isASCII: Bool) -> String {
        let bytes = bytes.assumingMemoryBound(to: UInt8.self)
        if isASCII { return String(decoding: bytes, as: UTF8.self) }
        return String(validating: bytes, as: UTF8.self)
            ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }

    /// Returns the bytes without white space and line ends on both sides.
    private static func trimmed(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        var (start, end) = (0, bytes.count)
        while start < end, isBlank(bytes[start]) { start += 1 }
        while end > start, isBlank(bytes[end - 1]) { end -= 1 }
        return UnsafeRawBufferPointer(rebasing: bytes[start..<end])
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        switch Unicode.Scalar(byte) {
        case " ", "\t", "\r", "\n": true
        default: false
        }
    }

    /// Returns whether the bytes are a token (RFC 9110 section 5.6.2).
    private static func isToken(_ bytes: UnsafeRawBufferPointer) -> Bool {
        for byte in bytes {
            switch byte {
            case 33, 35...39, 42, 43, 45, 46, 48...57, 65...90, 94...122, 124, 126: continue
            default: return false
            }
        }
        return !bytes.isEmpty
    }
}
