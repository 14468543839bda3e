/// A path, a query or both as a URI template (RFC 6570, all four levels): a second way to write a route.
///
/// ```swift
/// static let route: RouteTemplate = "artists/{artist}/releases{/format}{?page,sort*}"
///
/// var values: RouteTemplate.Values { ["artist": artist, "format": nil, "page": page, "sort": ["year", "-price"]] }
/// var path: RequestPath { Self.route.path(values) }
/// var query: RequestQuery { Self.route.query(values) }
/// ```
///
/// A value is anything that is `Encodable`: a single text, number, boolean or date, a list of them, or an object of
/// them, whose members come in the order in which it encodes them, those of a dictionary by name. A value of nil, an
/// empty list and an empty object are what the standard calls undefined: their variable leaves no trace.
///
/// Mistakes are kept by the path and the query, and thrown when the call is built: a variable that the values do not
/// name, a value that has no place in a template, and a template that is none.
public struct RouteTemplate: Sendable, Equatable {
    /// Values by the names of the variables.
    public typealias Values = [String: (any Encodable)?]

    /// What is wrong with a template or its values.
    public struct Mistake: Error, Sendable, Equatable, CustomStringConvertible {
        /// The variable that it concerns, when it is one.
        public let variable: String?
        /// As part of a sentence.
        public let reason: String

        public var description: String { reason }
    }

    enum Part: Sendable {
        case literal(String)
        case expression(Expression)
    }

    /// The template as it was written.
    public let text: String
    let parts: [Part]
    let mistake: Mistake?

    public init(_ text: String) {
        self.text = text
        do throws(Mistake) {
            parts = try Self.parse(text)
            mistake = nil
        } catch {
            parts = []
            mistake = error
        }
    }

    /// The names of the variables, in the order of their first appearance.
    public var variables: [String] {
        parts.reduce(into: []) { names, part in
            guard case .expression(let expression) = part else { return }
            for variable in expression.variables where !names.contains(variable.name) { names.append(variable.name) }
        }
    }

    /// The whole template, expanded as the standard says, a fragment too.
    ///
    /// - Throws: a mistake in the template, a variable that `values` does not name, or a value that cannot be expanded.
    public func expanded(with values: Values) throws(Mistake) -> String {
        if let mistake { throw mistake }
        return try Self.expand(parts, values)
    }

    static func expand(_ parts: some Sequence<Part>, _ values: Values) throws(Mistake) -> String {
        var result = ""
        for part in parts {
            switch part {
            case .literal(let text):
                result += PercentEncoding.encoded(
                    text, allowed: PercentEncoding.unreservedAndReserved, keepsEscapes: true)
            case .expression(let expression): result += try expression.expanded(with: values)
            }
        }
        return result
    }
}

extension RouteTemplate {
    /// The text alone tells: all else is read from it.
    public static func == (one: RouteTemplate, other: RouteTemplate) -> Bool {
        one.text == other.text
    }
}

extension RouteTemplate: ExpressibleByStringLiteral, CustomStringConvertible {
    public init(stringLiteral value: String) {
        self.init(value)
    }

    public var description: String { text }
}
