public import Foundation
public import RecordKit

/// A URI template (RFC 6570, all four levels) for a path, a query, or both.
///
/// ```swift
/// static let route: RouteTemplate =
///     "artists/{artist}/releases{/format}{?page,sort*}"
///
/// var values: RouteTemplate.Values {
///     [
///         "artist": artist, "format": nil, "page": page,
///         "sort": ["year", "-price"],
///     ]
/// }
/// var path: RequestPath { Self.route.path(values) }
/// var query: RequestQuery { Self.route.query(values) }
/// ```
///
/// A value is anything `Encodable`: a single string, number, Boolean or date, a list of these, or an object of these.
/// The members of an object are in the order in which it encodes them, those of a dictionary in the order of their
/// keys. `nil`, an empty list and an empty object are undefined values in the standard: their variable expands to
/// nothing.
///
/// The path and the query keep mistakes, and building the call throws them: a variable without a value, a value that a
/// template can't express, and an invalid template.
public struct RouteTemplate: Sendable, Equatable {
    /// The values by the names of their variables.
    public typealias Values = [String: (any Encodable)?]

    enum Part: Sendable {
        case literal(String)
        case expression(Expression)
    }

    /// The template as it was written.
    public let text: String
    let parts: [Part]
    let mistake: RouteTemplateError?

    /// Creates a template.
    ///
    /// - Parameter text: The template. A mistake in it is reported by ``path(_:)``, ``query(_:)`` and
    ///   ``expanded(with:)``.
    public init(_ text: String) {
        self.text = text
        do throws(RouteTemplateError) {
            parts = try Self.parse(text)
            mistake = nil
        } catch {
            parts = []
            mistake = error
        }
    }

    /// The names of the variables, in the order of their first occurrence.
    public var variables: [String] {
        parts.reduce(into: []) { names, part in
            guard case .expression(let expression) = part else { return }
            for variable in expression.variables where !names.contains(variable.name) { names.append(variable.name) }
        }
    }

    /// Returns the whole template, expanded according to RFC 6570, with its fragment.
    ///
    /// - Parameter values: The values of all variables.
    /// - Throws: A mistake in the template, a variable without a value, or a value that can't be expanded.
    public func expanded(with values: Values) throws(RouteTemplateError) -> String {
        if let mistake { throw mistake }
        return try Self.expand(parts, values)
    }

    static func expand(_ parts: some Sequence<Part>, _ values: Values) throws(RouteTemplateError) -> String {
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
    /// Returns whether the texts of two templates are equal.
    ///
    /// - Parameters:
    ///   - one: A template.
    ///   - other: Another template.
    public static func == (one: RouteTemplate, other: RouteTemplate) -> Bool {
        one.text == other.text
    }
}

extension RouteTemplate: ExpressibleByStringLiteral, CustomStringConvertible {
    /// Creates a template.
    ///
    /// - Parameter value: The template.
    public init(stringLiteral value: String) {
        self.init(value)
    }

    /// The same as ``text``.
    public var description: String { text }
}

extension RouteTemplate {
    /// Returns the path of the template: everything before the query.
    ///
    /// As in a `RequestPath` literal, a value can't leave its segment. The exception is `{+var}`, whose value is
    /// trusted. It may add segments, but no host, query, fragment or `..`.
    ///
    /// A variable of `{var}`, `{+var}` or `{/var}` with an empty value is a mistake, because the path would mean
    /// something else, and so is an empty element of `{/var*}`. Write an optional last segment as `{/var}` with the
    /// value `nil`.
    ///
    /// - Parameter values: The values of all variables.
    public func path(_ values: Values) -> RequestPath {
        do throws(RouteTemplateError) {
            let (pathParts, _) = try split()
            var text = ""
            for part in pathParts {
                let expanded = try Self.expand([part], values)
                if case .expression(let expression) = part { try Self.check(expression, expanded, values) }
                text += expanded
            }
            return RequestPath(percentEncoded: text)
        } catch {
            return RequestPath(invalid: "route \"\(self.text)\": \(error)")
        }
    }

    /// Returns the query of the template: everything after the first `?`, `{?…}` or `{&…}`.
    ///
    /// - Parameter values: The values of all variables.
    public func query(_ values: Values) -> RequestQuery {
        do throws(RouteTemplateError) {
            let (_, queryParts) = try split()
            let text = try Self.expand(queryParts, values)
            return RequestQuery(text.split(separator: "&").map(Self.item))
        } catch {
            return RequestQuery(
                invalid: RouteTemplateError(variable: error.variable, reason: "route \"\(text)\": \(error)"))
        }
    }

    /// Returns the parts of the path and those of the query, without the question mark.
    private func split() throws(RouteTemplateError) -> (path: [Part], query: [Part]) {
        if let mistake { throw mistake }
        var (path, query): ([Part], [Part]) = ([], [])
        var isQuery = false
        for part in parts {
            switch part {
            case .expression(let expression) where expression.kind == .fragment:
                throw RouteTemplateError(variable: nil, reason: "a fragment isn't sent to the server; remove it")
            case .expression(let expression) where expression.kind == .query && isQuery:
                throw RouteTemplateError(variable: nil, reason: "there is a query already; write {&…} instead of {?…}")
            case .expression(let expression) where expression.kind.isQuery:
                isQuery = true
                // As a continuation, the expression begins with `&`, which separates it from the items before.
                query.append(.expression(Expression(kind: .continuation, variables: expression.variables)))
            case .literal(let text) where text.contains("#"):
                throw RouteTemplateError(variable: nil, reason: "a fragment isn't sent to the server; remove it")
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

    private static func check(_ expression: Expression, _ expanded: String, _ values: Values) throws(RouteTemplateError)
    {
        let name = expression.variables.first?.name ?? ""
        if expression.kind == .none || expression.kind == .plus, expanded.isEmpty {
            throw RouteTemplateError(
                variable: name, reason: "{\(name)} is empty, so the path would mean something else")
        }
        if expression.kind == .none || expression.kind == .plus || expression.kind == .segment {
            for variable in expression.variables {
                guard try isEmpty(value(of: variable.name, in: values), variable, in: expression) else { continue }
                throw RouteTemplateError(
                    variable: variable.name,
                    reason: "the value of {\(variable.name)} is empty, so the path would mean something else")
            }
        }
        if expression.kind == .plus, let problem = problem(ofTrusted: expanded) {
            throw RouteTemplateError(variable: name, reason: "the value of {+\(name)} \(problem)")
        }
    }

    private static func isEmpty(_ value: Value?, _ variable: Variable, in expression: Expression) -> Bool {
        switch (value, variable.modifier) {
        case (.text(let text), _): text.isEmpty
        // Each element is a segment.
        case (.list(let list), .explode) where expression.kind == .segment: list.contains("")
        case (.list(let list), _): list == [""]
        case (.pairs, _), (nil, _): false
        }
    }

    /// Returns what is wrong with a value that may add segments, or `nil`.
    private static func problem(ofTrusted value: String) -> String? {
        if value.contains(where: { $0 == "?" || $0 == "#" }) { return "contains ? or #" }
        let plain = value.removingPercentEncoding ?? value
        if plain.hasPrefix("//") || plain.contains("://") { return "looks like another host" }
        // By bytes: a separator and an extending scalar after it are one Character.
        let segments = plain.utf8.split { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }
        if segments.contains(where: { $0.elementsEqual(".".utf8) || $0.elementsEqual("..".utf8) }) {
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

/// A mistake in a template or its values.
public struct RouteTemplateError: LocalizedError, Sendable, Equatable, CustomStringConvertible {
    /// The variable that is wrong, if it is one.
    public let variable: String?
    /// What is wrong, as part of a sentence.
    public let reason: String

    /// The same as ``reason``.
    public var description: String { reason }

    /// The same as ``description``.
    public var errorDescription: String? { description }
}
