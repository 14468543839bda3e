import RecordKit

/// A difference between a request and what was expected.
public struct StubDifference: Sendable, Hashable, CustomStringConvertible {
    /// A part of a request.
    @nonexhaustive
    public enum Part: Sendable, Hashable {
        /// The method.
        case method
        /// The scheme, host and port.
        case origin
        /// The path.
        case path
        /// The query item with a name.
        case queryItem(String)
        /// The header field with a name.
        case header(String)
        /// The body.
        ///
        /// - Parameter place: The member of a JSON body, such as `items[2].quantity`, or the field of a form. Empty for
        ///   the whole body.
        case body(place: String)

        /// Whether a request with this difference still has the same method and URL path.
        var isDetail: Bool {
            switch self {
            case .queryItem, .header, .body: true
            case .method, .origin, .path: false
            }
        }
    }

    /// The part that differs.
    public let part: Part
    /// What was expected, or `nil` if nothing was. Sensitive values are redacted.
    public let expected: String?
    /// What the request contains, or `nil` if nothing. Sensitive values are redacted.
    public let received: String?

    /// The difference in words, as part of a sentence.
    public var description: String {
        let expectation = expected.map { "expected \($0)" } ?? "not expected"
        let subject =
            switch part {
            case .method: "the method"
            case .origin: "the origin"
            case .path: "the path"
            case .queryItem(let name): "the query item \"\(name)\""
            case .header(let name): "the header \(name)"
            case .body(place: ""): "the body"
            case .body(let place): "\(place) in the body"
            }
        return "\(subject) is \(received ?? "missing"), \(expectation)"
    }

    /// Returns the weight of the difference.
    func weight(_ pathDistance: Int) -> Int {
        switch part {
        case .origin: 20
        case .path: 10 + 5 * pathDistance
        case .method: 8
        case .queryItem: 2
        case .header, .body: 1
        }
    }
}

extension StubDifference {
    /// Creates a difference between the values of a query item, form field or header field.
    init(_ part: Part, expected: [String], received: [String], isSensitive: Bool) {
        self.init(
            part: part, expected: Self.list(expected, isSensitive ? "another value" : nil),
            received: Self.list(received, isSensitive ? "redacted" : nil))
    }

    private static func list(_ values: [String], _ replacement: String?) -> String? {
        values.isEmpty ? nil : replacement ?? values.map { "\"\($0)\"" }.joined(separator: ", ")
    }
}
