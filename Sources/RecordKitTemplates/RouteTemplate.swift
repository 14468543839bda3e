import Foundation
public import RecordKit

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

extension RouteTemplate {
    /// The path that the template makes: all of it up to the query.
    ///
    /// As in a ``RequestPath`` that is written, no value breaks out of its segment, with one exception: that of
    /// `{+var}` is trusted, and may add segments, but no host, no query, no fragment, and no `..`. A variable of
    /// `{var}`, `{+var}` or `{/var}` that comes out empty is a mistake, since the path would mean something else, and
    /// so is an empty element of `{/var*}`; an optional last segment is written `{/var}`, with a value of nil.
    public func path(_ values: Values) -> RequestPath {
        do throws(Mistake) {
            let (pathParts, _) = try split()
            var text = ""
            for part in pathParts {
                let expanded = try Self.expand([part], values)
                if case .expression(let expression) = part { try Self.check(expression, expanded, values) }
                text += expanded
            }
            return RequestPath(percentEncoded: text)
        } catch {
            var path = RequestPath()
            path.problem = "route \"\(self.text)\": \(error)"
            return path
        }
    }

    /// The query that the template makes: all that follows its first `?`, `{?…}` or `{&…}`.
    public func query(_ values: Values) -> RequestQuery {
        do throws(Mistake) {
            let (_, queryParts) = try split()
            let text = try Self.expand(queryParts, values)
            return RequestQuery(text.split(separator: "&").map(Self.item))
        } catch {
            var query = RequestQuery()
            query.problem = Mistake(variable: error.variable, reason: "route \"\(text)\": \(error)")
            return query
        }
    }

    /// The parts of the path and those of the query, without the mark between them.
    private func split() throws(Mistake) -> (path: [Part], query: [Part]) {
        if let mistake { throw mistake }
        var (path, query): ([Part], [Part]) = ([], [])
        var isQuery = false
        for part in parts {
            switch part {
            case .expression(let expression) where expression.kind == .fragment:
                throw Mistake(variable: nil, reason: "a fragment never travels")
            case .expression(let expression) where expression.kind == .query && isQuery:
                throw Mistake(variable: nil, reason: "there is a query already; write {&…} in the place of {?…}")
            case .expression(let expression) where expression.kind.isQuery:
                isQuery = true
                // The items that follow are told apart by the same mark as these among themselves.
                query.append(.expression(Expression(kind: .continuation, variables: expression.variables)))
            case .literal(let text) where text.contains("#"):
                throw Mistake(variable: nil, reason: "a fragment never travels")
            case .literal(let text) where !isQuery:
                let mark = text.firstIndex(of: "?")
                isQuery = mark != nil
                path.append(.literal(String(text[..<(mark ?? text.endIndex)])))
                if let mark { query.append(.literal(String(text[mark...].dropFirst()))) }
            case .literal, .expression:
                if isQuery { query.append(part) } else { path.append(part) }
            }
        }
        return (path, query)
    }

    private static func check(_ expression: Expression, _ expanded: String, _ values: Values) throws(Mistake) {
        let name = expression.variables.first?.name ?? ""
        if expression.kind == .none || expression.kind == .plus, expanded.isEmpty {
            throw Mistake(variable: name, reason: "{\(name)} is empty, so the path would mean something else")
        }
        if expression.kind == .none || expression.kind == .plus || expression.kind == .segment {
            for variable in expression.variables {
                guard try isEmpty(value(of: variable.name, in: values), variable, in: expression) else { continue }
                throw Mistake(
                    variable: variable.name,
                    reason: "the value of {\(variable.name)} is empty, so the path would mean something else")
            }
        }
        if expression.kind == .plus, let problem = problem(ofTrusted: expanded) {
            throw Mistake(variable: name, reason: "the value of {+\(name)} \(problem)")
        }
    }

    private static func isEmpty(_ value: Value?, _ variable: Variable, in expression: Expression) -> Bool {
        switch (value, variable.modifier) {
        case (.text(let text), _): text.isEmpty
        // Each of its elements is a segment.
        case (.list(let list), .explode) where expression.kind == .segment: list.contains("")
        case (.list(let list), _): list == [""]
        case (.pairs, _), (nil, _): false
        }
    }

    /// What is wrong with a value that may add segments; nil when nothing is.
    private static func problem(ofTrusted value: String) -> String? {
        if value.contains(where: { $0 == "?" || $0 == "#" }) { return "holds a ? or #" }
        let plain = value.removingPercentEncoding ?? value
        if plain.hasPrefix("//") || plain.contains("://") { return "looks like another host" }
        for segment in plain.split(whereSeparator: { $0 == "/" || $0 == "\\" }) where segment == "." || segment == ".."
        {
            return "has a segment \".\" or \"..\""
        }
        return nil
    }

    private static func item(_ text: Substring) -> RequestQuery.Item {
        func plain(_ text: Substring) -> String { text.removingPercentEncoding ?? String(text) }
        let equals = text.firstIndex(of: "=")
        return RequestQuery.Item(
            name: plain(text[..<(equals ?? text.endIndex)]),
            value: equals.map { plain(text[$0...].dropFirst()) } ?? "", percentEncoded: String(text))
    }
}
