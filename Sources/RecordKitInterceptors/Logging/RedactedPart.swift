public import Foundation
public import RecordKit

/// A part of a body: bytes that may be printed, or the value of a sensitive field.
public enum RedactedPart: Sendable {
    /// Bytes that may be printed.
    case plain(ArraySlice<UInt8>)
    /// The value of a field that is sensitive by its name. In JSON, the value of a string is what lies between the quotation
    /// marks.
    case sensitive(name: String, value: ArraySlice<UInt8>)

    /// Returns the parts of a body of JSON or of a form in order, or `nil` for a body of any other type, whose fields are
    /// not known.
    ///
    /// A body that is cut off is read to its end.
    ///
    /// - Parameters:
    ///   - body: The body.
    ///   - type: The media type of the body.
    ///   - sensitiveNames: The names that are sensitive besides the well-known ones.
    public static func all(in body: Data, _ type: MediaType?, sensitive sensitiveNames: Set<String>) -> [RedactedPart]?
    {
        var headers = HTTPHeaders()
        headers.markSensitive(sensitiveNames)
        let bytes = Array(body)
        // JSON is UTF-8 (RFC 8259 section 8.1); a zero byte is a sign of UTF-16 or UTF-32.
        if type?.isJSON == true, !bytes.contains(0) {
            return parts(of: bytes, JSONFields(bytes, isSensitive: headers.isSensitive).found)
        }
        if type?.essence == "application/x-www-form-urlencoded" {
            return parts(of: bytes, fields(of: bytes, headers))
        }
        return nil
    }

    /// Returns the parts of a query or a form.
    static func all(inFields text: String, _ headers: HTTPHeaders) -> [RedactedPart] {
        let bytes = Array(text.utf8)
        return parts(of: bytes, fields(of: bytes, headers))
    }

    private static func fields(of bytes: [UInt8], _ headers: HTTPHeaders) -> [SensitiveValue] {
        bytes[...].split(separator: UInt8(ascii: "&")).compactMap { field in
            let query = RequestQuery(parsing: String(decoding: field, as: UTF8.self))
            guard let equals = field.firstIndex(of: UInt8(ascii: "=")), equals + 1 < field.endIndex,
                let name = query.items.first?.name, headers.isSensitive(name)
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

/// Where the value of a sensitive field is in a body, counted in bytes.
struct SensitiveValue {
    var range: Range<Int>
    var name: String
}
