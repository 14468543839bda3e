public import Foundation

/// The path of a request below its base URL. Interpolated values can't change its structure.
///
/// ```swift
/// let all: RequestPath = "records"  // records
/// // For the SKU "LP/42": records/LP%2F42/tracks/7
/// let track: RequestPath = "records/\(sku)/tracks/\(7)"
/// ```
///
/// Literal parts are used as written. Characters that a path can't contain are percent-encoded. Exactly one slash joins
/// the path to its base URL.
///
/// An interpolated value is always part of one segment. Everything except letters, digits, `-`, `.`, `_` and `~` is
/// percent-encoded (RFC 3986 section 2.3), including slashes and percent signs.
///
/// An empty interpolated value, a segment `.` or `..`, and a `?` or `#` in a literal are errors. The path keeps the
/// error, and building the request throws it.
public struct RequestPath: Sendable, Hashable {
    /// The percent-encoded path.
    public private(set) var encoded: String
    /// The reason why the path is invalid, as part of a sentence. `nil` if it is valid.
    public private(set) var invalidReason: String?

    /// Creates a path with one segment for each string.
    ///
    /// - Parameter segments: The segments. They may contain any character.
    public init(segments: [String] = []) {
        encoded = ""
        for (index, segment) in segments.enumerated() {
            if index > 0 { encoded += "/" }
            append(segment)
        }
        checkSegments()
    }

    /// Creates a path from a percent-encoded string, such as an expanded template.
    ///
    /// Characters that a path can't contain are percent-encoded. A `?`, a `#`, and a segment `.` or `..` are errors.
    ///
    /// - Parameter text: The percent-encoded string.
    public init(percentEncoded text: String) {
        self.init()
        append(literal: text)
        checkSegments()
    }

    /// Creates a path that no request can be built with.
    ///
    /// - Parameter reason: What is wrong and what to do, as part of a sentence.
    public init(invalid reason: String) {
        self.init()
        invalidReason = reason
    }

    private mutating func append(literal: String) {
        if Self.plain.containsAll(of: literal) {
            encoded += literal
            return
        }
        if encoded.isEmpty, literal.hasPrefix("http://") || literal.hasPrefix("https://") {
            invalidReason = invalidReason ?? "it begins with a URL; put an absolute URL in `baseURL`"
        }
        if ByteSet.pathEnds.containsAny(of: literal) {
            // The part after it may be sensitive.
            let start = literal.prefix { $0 != "?" && $0 != "#" }
            invalidReason = invalidReason ?? "a ? or # follows \"\(start)\"; put a query in `query`"
        }
        encoded += PercentEncoding.encoded(keepingEscapes: literal[...], allowed: .path)
    }

    private mutating func append(_ value: String) {
        if value.isEmpty {
            invalidReason = invalidReason ?? "a value in \"\(encoded)\" is empty, so the path would mean something else"
        }
        encoded += PercentEncoding.encoded(value)
    }

    private mutating func checkSegments() {
        if invalidReason == nil, Self.hasDotSegment(encoded[...]) {
            invalidReason = "\"\(encoded)\" has a segment \".\" or \"..\", which would lead to another path"
        }
    }

    /// Returns whether a segment is `.` or `..`, even if it is percent-encoded.
    static func hasDotSegment(_ path: Substring) -> Bool {
        var path = path
        return path.withUTF8 { bytes in
            // The start of the segment, while it has nothing but dots, which may be percent-encoded.
            var start: Int? = 0
            for index in 0...bytes.count {
                if index == bytes.count || bytes[index] == UInt8(ascii: "/") {
                    if let start, isDots(bytes[start..<index]) { return true }
                    start = index + 1
                } else if start != nil, !dots.contains(bytes[index]) {
                    start = nil
                }
            }
            return false
        }
    }

    private static func isDots(_ segment: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        let text = String(decoding: segment, as: UTF8.self)
        return [".", ".."].contains(text.removingPercentEncoding ?? text)
    }

    /// The bytes of a dot, which may be percent-encoded.
    private static let dots: ByteSet = ".%2eE"
    /// The bytes of most literals, of which nothing has to be checked.
    private static let plain = ByteSet.unreserved.union("/")
}

extension RequestPath: ExpressibleByStringInterpolation {
    /// Creates a path from a string literal.
    public init(stringLiteral value: String) {
        self.init()
        append(literal: value)
        checkSegments()
    }

    /// Creates a path from an interpolated string literal.
    public init(stringInterpolation: StringInterpolation) {
        self = stringInterpolation.path
        checkSegments()
    }

    /// The literal parts and interpolated values of a path.
    public struct StringInterpolation: StringInterpolationProtocol, Sendable {
        fileprivate var path = RequestPath()

        /// Creates an empty path with reserved capacity.
        public init(literalCapacity: Int, interpolationCount: Int) {
            path.encoded.reserveCapacity(literalCapacity + interpolationCount * 16)
        }

        /// Appends a literal part of the path.
        public mutating func appendLiteral(_ literal: String) {
            if !literal.isEmpty { path.append(literal: literal) }
        }

        /// Appends a string.
        public mutating func appendInterpolation(_ value: some StringProtocol) {
            path.append(String(value))
        }

        /// Appends an integer.
        public mutating func appendInterpolation(_ value: some BinaryInteger) {
            path.append(String(value))
        }

        /// Appends a UUID.
        public mutating func appendInterpolation(_ value: UUID) {
            path.append(value.uuidString)
        }

        /// Appends the raw value of an enum.
        public mutating func appendInterpolation<Value: RawRepresentable>(_ value: Value)
        where Value.RawValue == String {
            path.append(value.rawValue)
        }

        /// Rejects optionals at compile time.
        @available(
            *, unavailable,
            message:
                "a path accepts strings, numbers, UUIDs and enums with a string raw value; unwrap the optional first"
        )
        public mutating func appendInterpolation<Value>(_ value: Value?) {}

        /// Rejects values of other types at compile time.
        @available(
            *, unavailable,
            message: """
                a path accepts strings, numbers, UUIDs and enums with a string raw value; convert the value to a \
                string first
                """
        )
        public mutating func appendInterpolation<Value>(_ value: Value) {}
    }
}

extension RequestPath: TextConvertible {
    var text: String { encoded }
}
