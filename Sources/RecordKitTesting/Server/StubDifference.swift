import RecordKit

/// In what a request differs from what was expected.
public struct StubDifference: Sendable, Hashable, CustomStringConvertible {
    public enum Part: Sendable, Hashable {
        case method
        /// Scheme, host and port.
        case origin
        case path
        case queryItem(String)
        case header(String)
        /// - Parameter place: the member of a JSON body, such as `items[2].quantity`; empty for the whole.
        case body(place: String)

        /// Whether it is still the same thing that is asked, in another way.
        var isDetail: Bool {
            switch self {
            case .queryItem, .header, .body: true
            case .method, .origin, .path: false
            }
        }
    }

    public let part: Part
    /// What was expected; nil when nothing was.
    public let expected: String?
    /// What the request has; nil when it has none. Sensitive values are redacted.
    public let received: String?

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

    /// How far it sets a request apart.
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
    /// In the values of a name: of a query item, a field, a header.
    init(_ part: Part, expected: [String], received: [String], isSensitive: Bool) {
        self.init(
            part: part, expected: Self.text(expected, isSensitive ? "another value" : nil),
            received: Self.text(received, isSensitive ? "redacted" : nil))
    }

    private static func text(_ values: [String], _ replacement: String?) -> String? {
        values.isEmpty ? nil : replacement ?? values.map { "\"\($0)\"" }.joined(separator: ", ")
    }
}
