public import Foundation

/// The path of a request below its base URL, which no value can break out of.
///
/// ```swift
/// "records"                       // records
/// "records/\(sku)/tracks/\(7)"    // records/LP%2F42/tracks/7 for the SKU "LP/42"
/// ```
///
/// The literal parts are taken as written, with what no path may hold percent-encoded; where it is joined to its base
/// URL there is one slash. Each interpolated value lies within one segment: everything but letters, digits, `-`, `.`,
/// `_` and `~` is percent-encoded (RFC 3986 section 2.3), the slash and the percent sign too.
///
/// An interpolated value that is empty, a segment that comes out as `.` or `..`, and a `?` or `#` in a literal are
/// mistakes: the path keeps the error, and building the request throws it.
public struct RequestPath: Sendable, Hashable {
    /// The path as it travels.
    public private(set) var encoded: String
    /// Why no request can be built with the path, as part of a sentence; `nil` if one can.
    public var problem: String?

    /// One segment for each text, whatever it holds.
    public init(segments: [String] = []) {
        encoded = ""
        for (index, segment) in segments.enumerated() {
            if index > 0 { encoded += "/" }
            append(segment)
        }
        checkSegments()
    }

    /// Creates a path of text that is percent-encoded already, such as an expanded template.
    ///
    /// What no path may hold is percent-encoded. A `?`, a `#`, and a segment `.` or `..` are mistakes.
    public init(percentEncoded text: String) {
        self.init()
        append(literal: text)
        checkSegments()
    }

    private mutating func append(literal: String) {
        if ByteSet.pathEnds.containsAny(of: literal) {
            // What comes after it may be sensitive.
            let start = literal.prefix { $0 != "?" && $0 != "#" }
            problem = problem ?? "a ? or # comes after \"\(start)\"; a query goes into `query`"
        }
        PercentEncoding.append(keepingEscapes: literal[...], to: &encoded, allowed: .path)
    }

    private mutating func append(_ value: String) {
        if value.isEmpty {
            problem = problem ?? "a value in \"\(encoded)\" is empty, so the path would mean something else"
        }
        PercentEncoding.append(value, to: &encoded)
    }

    private mutating func checkSegments() {
        if problem == nil, Self.hasDotSegment(encoded[...]) {
            problem = "\"\(encoded)\" has a segment \".\" or \"..\", which would lead to another path"
        }
    }

    /// Whether a segment is `.` or `..`, however it is written.
    static func hasDotSegment(_ path: Substring) -> Bool {
        guard dots.containsAny(of: String(path)) else { return false }
        for segment in path.parts(between: "/") where segment.utf8.count <= 6 {
            let plain = segment.removingPercentEncoding ?? String(segment)
            if plain == "." || plain == ".." { return true }
        }
        return false
    }

    /// A dot, and what one that is percent-encoded begins with.
    private static let dots: ByteSet = ".%"
}

extension RequestPath: ExpressibleByStringInterpolation {
    public init(stringLiteral value: String) {
        self.init()
        append(literal: value)
        checkSegments()
    }

    public init(stringInterpolation: StringInterpolation) {
        self = stringInterpolation.path
        checkSegments()
    }

    public struct StringInterpolation: StringInterpolationProtocol, Sendable {
        fileprivate var path = RequestPath()

        public init(literalCapacity: Int, interpolationCount: Int) {
            path.encoded.reserveCapacity(literalCapacity + interpolationCount * 16)
        }

        public mutating func appendLiteral(_ literal: String) {
            if !literal.isEmpty { path.append(literal: literal) }
        }

        /// Appends a string or a number.
        public mutating func appendInterpolation(_ value: some LosslessStringConvertible) {
            path.append(String(value))
        }

        public mutating func appendInterpolation(_ value: UUID) {
            path.append(value.uuidString)
        }

        public mutating func appendInterpolation<Value: RawRepresentable>(_ value: Value)
        where Value.RawValue == String {
            path.append(value.rawValue)
        }

        @available(
            *, unavailable,
            message:
                "a path takes texts, integers, UUIDs and enums of texts: unwrap an optional, and write any other value as text"
        )
        public mutating func appendInterpolation<Value>(_ value: Value?) {}
    }
}

extension RequestPath: TextConvertible {
    var text: String { encoded }
}
