public import Foundation
public import RecordKit

/// A part of a body: bytes that may be printed, or the value of a sensitive field. The list of cases is complete.
public enum RedactedPart: Sendable {
    /// Bytes that may be printed.
    case plain(ArraySlice<UInt8>)
    /// The value of a field with a sensitive name. The value of a JSON string is what is between the quotation marks.
    case sensitive(name: String, value: ArraySlice<UInt8>)

    /// Returns the parts of a JSON or form body in order, or `nil` for other bodies, whose fields are unknown.
    ///
    /// Servers send JSON and forms under other types, too. So a body that can be read as one of them counts as one,
    /// whatever its type. A truncated body is read to its end.
    ///
    /// - Parameters:
    ///   - body: The body.
    ///   - type: The media type of the body.
    ///   - sensitiveNames: The names that are sensitive in addition to the well-known ones.
    public static func all(in body: Data, _ type: MediaType?, sensitive sensitiveNames: Set<String>) -> [RedactedPart]?
    {
        var headers = HTTPHeaders()
        headers.markSensitive(sensitiveNames)
        let bytes = Array(body)
        let isForm = type?.isForm == true
        // JSON is UTF-8 (RFC 8259 section 8.1). A zero byte means UTF-16 or UTF-32.
        if !bytes.contains(0), isJSON(bytes, isForm: isForm) || type?.isJSON == true && !isFields(bytes) {
            var names = NameCheck(headers)
            return parts(of: bytes, JSONFields(bytes, isSensitive: { names.isSensitive($0) }).found)
        }
        return isForm || isFields(bytes) ? parts(of: bytes, fields(of: bytes, headers)) : nil
    }

    /// Returns whether bytes begin like a JSON object, or an array unless they should be a form.
    private static func isJSON(_ bytes: [UInt8], isForm: Bool) -> Bool {
        let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
        let first = start.first { !" \t\r\n".utf8.contains($0) }
        return first == UInt8(ascii: "{") || first == UInt8(ascii: "[") && !isForm
    }

    /// Returns whether bytes are a form: names and values without spaces, quotation marks and brackets of markup.
    private static func isFields(_ bytes: [UInt8]) -> Bool {
        guard let end = bytes.lastIndex(where: { !"\r\n".utf8.contains($0) }) else { return false }
        return bytes[...end].split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false).allSatisfy { field in
            guard let equals = field.firstIndex(of: UInt8(ascii: "=")), equals > field.startIndex else { return false }
            return field[..<equals].allSatisfy { isOfName($0) }
                && field.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"\"<>".utf8.contains($0) }
        }
    }

    /// Returns whether a form may contain a byte in a name, if it is encoded well or not.
    private static func isOfName(_ byte: UInt8) -> Bool {
        let scalar = Unicode.Scalar(byte)
        return scalar.properties.isAlphabetic || "0"..."9" ~= scalar || "*-._%+[]~$!".unicodeScalars.contains(scalar)
    }

    /// Returns the parts of a query or a form.
    static func all(inFields string: String, _ headers: HTTPHeaders) -> [RedactedPart] {
        let bytes = Array(string.utf8)
        return parts(of: bytes, fields(of: bytes, headers))
    }

    private static func fields(of bytes: [UInt8], _ headers: HTTPHeaders) -> [SensitiveValue] {
        var names = NameCheck(headers)
        return bytes[...].split(separator: UInt8(ascii: "&")).compactMap { field in
            guard let equals = field.firstIndex(of: UInt8(ascii: "=")), equals + 1 < field.endIndex,
                let name = RequestQuery(parsing: String(decoding: field[..<equals], as: UTF8.self)).items.first?.name,
                names.isSensitive(name)
            else { return nil }
            return SensitiveValue(range: equals + 1..<field.endIndex, name: name)
        }
    }

    private static func parts(of bytes: [UInt8], _ values: [SensitiveValue]) -> [RedactedPart] {
        var parts: [RedactedPart] = []
        var end = 0
        for value in values {
            if value.range.lowerBound > end { parts.append(.plain(bytes[end..<value.range.lowerBound])) }
            parts.append(.sensitive(name: value.name, value: bytes[value.range]))
            end = value.range.upperBound
        }
        if end < bytes.count { parts.append(.plain(bytes[end...])) }
        return parts
    }
}

extension MediaType {
    /// Whether the content is a form: `application/x-www-form-urlencoded`.
    var isForm: Bool { essence == "application/x-www-form-urlencoded" }
}

/// Whether names are sensitive, looked up once for each name: a list of objects repeats them.
private struct NameCheck {
    private let headers: HTTPHeaders
    private var known: [String: Bool] = [:]

    init(_ headers: HTTPHeaders) {
        self.headers = headers
    }

    mutating func isSensitive(_ name: String) -> Bool {
        if let known = known[name] { return known }
        let isSensitive = headers.isSensitive(name)
        known[name] = isSensitive
        return isSensitive
    }
}

/// The place of a sensitive value in a body, in bytes.
struct SensitiveValue {
    var range: Range<Int>
    var name: String
}

/// The values in JSON that have a sensitive name.
///
/// Truncated JSON is read, too: an incomplete value extends to the end of the bytes.
struct JSONFields {
    private(set) var found: [SensitiveValue] = []
    private let bytes: [UInt8]

    init(_ bytes: [UInt8], isSensitive: (String) -> Bool) {
        self.bytes = bytes
        var index = 0
        while index < bytes.count {
            guard bytes[index] == UInt8(ascii: "\"") else {
                index += 1
                continue
            }
            let start = index + 1
            let end = endOfString(from: start)
            let colon = skipSpace(from: end + 1)
            index = end + 1
            guard colon < bytes.count, bytes[colon] == UInt8(ascii: ":") else { continue }
            index = colon + 1
            let name = Self.unescaped(bytes[start..<end])
            if isSensitive(name) { index = addValue(from: index, name) }
        }
    }

    /// Adds the value that begins here, and returns its end. The words true, false and null reveal nothing.
    private mutating func addValue(from start: Int, _ name: String) -> Int {
        let start = skipSpace(from: start)
        guard start < bytes.count else { return start }
        switch bytes[start] {
        case UInt8(ascii: "\""):
            let end = endOfString(from: start + 1)
            if end > start + 1 { found.append(SensitiveValue(range: start + 1..<end, name: name)) }
            return end + 1
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            let end = endOfContainer(from: start)
            found.append(SensitiveValue(range: start..<end, name: name))
            return end
        default:
            let end = bytes[start...].firstIndex { ",}] \t\r\n".utf8.contains($0) } ?? bytes.count
            let isWord = ["true", "false", "null"].contains { bytes[start..<end].elementsEqual($0.utf8) }
            if !isWord, end > start { found.append(SensitiveValue(range: start..<end, name: name)) }
            return max(end, start + 1)
        }
    }

    private func skipSpace(from start: Int) -> Int {
        var index = start
        while index < bytes.count, " \t\r\n".utf8.contains(bytes[index]) { index += 1 }
        return index
    }

    /// Returns the index of the closing quotation mark, or of the end.
    private func endOfString(from start: Int) -> Int {
        var index = start
        while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
            index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        return min(index, bytes.count)
    }

    /// Returns the index after the closing bracket, or the end.
    private func endOfContainer(from start: Int) -> Int {
        var (index, depth) = (start, 0)
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\""): index = endOfString(from: index + 1)
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                if depth == 0 { return index + 1 }
            default: break
            }
            index += 1
        }
        return bytes.count
    }

    private static func unescaped(_ bytes: ArraySlice<UInt8>) -> String {
        guard bytes.contains(UInt8(ascii: "\\")) else { return String(decoding: bytes, as: UTF8.self) }
        var units: [UInt16] = []
        var rest = Array(String(decoding: bytes, as: UTF8.self).utf16)[...]
        while let unit = rest.popFirst() {
            guard unit == 0x5C, let escaped = rest.popFirst() else {
                units.append(unit)
                continue
            }
            if escaped == 0x75 {
                let digits = String(decoding: rest.prefix(4), as: UTF16.self)
                units.append(UInt16(digits, radix: 16) ?? 0xFFFD)
                rest = rest.dropFirst(4)
            } else {
                units.append(escaped)
            }
        }
        return String(decoding: units, as: UTF16.self)
    }
}
