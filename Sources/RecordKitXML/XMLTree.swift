public import Foundation
public import RecordKit

/// An element of an XML document with its attributes, children and text.
///
/// ```swift
/// // ValueType = XMLTree
/// let tree = try await network.value(for: Catalog(id: "7"))
/// let title: String = try tree.value(at: "release/title")
/// let credits = tree.elements(at: "release/artist-credit/name-credit")
/// let artists: [String] = try credits.map { try $0.value(at: "artist/name") }
/// ```
///
/// To read a type of your own from it, see ``XMLReadable``.
///
/// Documents that declare entities are refused, and nothing is ever loaded from another place. Foundation's `XMLParser`
/// isn't used. On Linux, with Swift 6.3, `<?x?>` and invalid UTF-8 in an attribute end the process, a truncated
/// document is read with success, and the time is quadratic in the number of attributes of an element. It would also
/// link libxml2 into every program.
public struct XMLTree: Sendable, Equatable {
    /// The name without its prefix.
    public let name: String
    /// The URI of the name's namespace, or `nil` without a namespace.
    public let namespace: String?
    /// The attributes by their names, prefixes included. Namespace declarations are left out.
    public let attributes: [String: String]
    /// The child elements, in order.
    public let children: [XMLTree]
    /// The text of the element without that of its children. White space is kept.
    public let text: String
    /// Whether the element has `xsi:nil="true"` (XML Schema Part 1 section 2.6.2).
    var isNil: Bool

    /// Creates an element.
    ///
    /// - Parameters:
    ///   - name: The name without a prefix.
    ///   - namespace: The URI of the namespace, if any.
    ///   - attributes: The attributes by their names.
    ///   - children: The child elements, in order.
    ///   - text: The text of the element.
    public init(
        name: String, namespace: String? = nil, attributes: [String: String] = [:], children: [XMLTree] = [],
        text: String = ""
    ) {
        self.name = name
        self.namespace = namespace
        self.attributes = attributes
        self.children = children
        self.text = text
        isNil = Self.isTrue(attributes["xsi:nil"])
    }

    /// Returns whether the public properties of two elements are equal.
    ///
    /// - Parameters:
    ///   - one: An element.
    ///   - other: Another element.
    public static func == (one: XMLTree, other: XMLTree) -> Bool {
        one.name == other.name && one.namespace == other.namespace && one.attributes == other.attributes
            && one.text == other.text && one.children == other.children
    }

    static func isTrue(_ value: String?) -> Bool { value == "true" || value == "1" }

    /// Reads the root element of a document.
    ///
    /// - Parameters:
    ///   - data: The document.
    ///   - charset: The charset in `Content-Type`, which takes precedence over the document's declaration (RFC 7303
    ///     section 3).
    ///   - depthLimit: The number of levels of nested elements that is accepted. Default: 128. A larger number than 512
    ///     counts as 512, since deeper trees overflow the stack of a task.
    ///   - nodeLimit: The number of elements and attributes that is accepted. Default: 1,000,000.
    /// - Throws: ``XMLTreeError``.
    public init(
        _ data: Data, charset: String? = nil, depthLimit: Int = 128, nodeLimit: Int = 1_000_000
    ) throws(XMLTreeError) {
        var parser = XMLTreeParser(
            try XMLText.bytes(of: data, charset: charset), depthLimit: min(depthLimit, 512), nodeLimit: nodeLimit)
        self = try parser.parse()
    }
}

extension XMLTree: NetworkValue {
    /// The media type `application/xml`.
    public static var contentType: String? { "application/xml" }

    /// Reads the root element of a response's body.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - decoder: Not used.
    /// - Throws: ``XMLTreeError``, or `NetworkResponse.ReadingError` if the body is empty or an HTML page.
    public static func read(_ response: NetworkResponse, using decoder: (any NetworkDecoder)?) throws -> XMLTree {
        try read(response) { $0 }
    }

    /// Reads a value from the root element of a response's body.
    fileprivate static func read<Value>(_ response: NetworkResponse, _ make: (XMLTree) throws -> Value) throws -> Value
    {
        if response.body.isEmpty { throw NetworkResponse.ReadingError.emptyBody }
        let type = response.mediaType
        do {
            return try make(XMLTree(response.body, charset: type?.parameters["charset"]))
        } catch {
            guard let type, type.isHTML else { throw error }
            throw NetworkResponse.ReadingError.unexpectedType(type, expected: "application/xml")
        }
    }
}

extension XMLTree {
    /// Returns all elements at a path, in the order of the document.
    ///
    /// The path `medium-list/medium` returns each `medium` in each `medium-list` of this element. An empty path returns
    /// the element itself.
    ///
    /// Names have no prefix, and match in every namespace. To match in one namespace, write it in braces:
    /// `{urn:example}title`. `{}link` matches a `link` without a namespace.
    ///
    /// - Parameter path: The names of the elements, separated by slashes.
    public func elements(at path: String) -> [XMLTree] {
        elements(at: Step.all(in: path))
    }

    private func elements(at steps: [Step]) -> [XMLTree] {
        steps.reduce([self]) { trees, step in trees.flatMap { $0.children.filter(step.matches) } }
    }

    /// Returns the first element at a path.
    ///
    /// - Parameter path: The names of the elements, separated by slashes.
    /// - Throws: ``XMLTreeError/missing(path:in:)`` if there is none.
    public func element(at path: String) throws(XMLTreeError) -> XMLTree {
        guard let tree = first(at: path) else { throw .missing(path: path, in: name) }
        return tree
    }

    /// Returns the value of the first element or attribute at a path. An attribute is written `@id` or `artist/@id`.
    ///
    /// A string is returned unchanged. For other types, white space around the text is ignored. `true`, `false`, `1`
    /// and `0` are Boolean values.
    ///
    /// - Parameters:
    ///   - path: The names of the elements, separated by slashes.
    ///   - type: The type of the value.
    /// - Throws: ``XMLTreeError`` if there is nothing at the path, or the text can't be read as the type.
    public func value<Value: LosslessStringConvertible>(
        at path: String, as type: Value.Type = Value.self
    ) throws(XMLTreeError) -> Value {
        guard let value = try valueIfPresent(at: path, as: type) else { throw .missing(path: path, in: name) }
        return value
    }

    /// Returns the value of the first element or attribute at a path, or `nil` if there is none.
    ///
    /// Returns `nil` for an element with `xsi:nil="true"`, too (XML Schema Part 1 section 2.6.2). Any prefix of that
    /// namespace is recognized.
    ///
    /// - Parameters:
    ///   - path: The names of the elements, separated by slashes.
    ///   - type: The type of the value.
    /// - Throws: ``XMLTreeError/mismatch(path:in:type:)`` if the text can't be read as the type.
    public func valueIfPresent<Value: LosslessStringConvertible>(
        at path: String, as type: Value.Type = Value.self
    ) throws(XMLTreeError) -> Value? {
        try read(at: path, as: type) { text in
            if type == Bool.self, text == "1" || text == "0" { return Value(text == "1" ? "true" : "false") }
            return Value(text)
        }
    }

    /// Returns the URL of the first element or attribute at a path. It may be relative.
    ///
    /// - Parameters:
    ///   - path: The names of the elements, separated by slashes.
    ///   - type: `URL`.
    /// - Throws: ``XMLTreeError`` if there is nothing at the path, or the text isn't a URL.
    public func value(at path: String, as type: URL.Type = URL.self) throws(XMLTreeError) -> URL {
        guard let url = try valueIfPresent(at: path, as: type) else { throw .missing(path: path, in: name) }
        return url
    }

    /// Returns the URL of the first element or attribute at a path, or `nil` if there is none.
    ///
    /// - Parameters:
    ///   - path: The names of the elements, separated by slashes.
    ///   - type: `URL`.
    /// - Throws: ``XMLTreeError/mismatch(path:in:type:)`` if the text isn't a URL.
    public func valueIfPresent(at path: String, as type: URL.Type = URL.self) throws(XMLTreeError) -> URL? {
        try read(at: path, as: type) { URL(string: $0, encodingInvalidCharacters: false) }
    }

    /// Returns the date of the first element or attribute at a path.
    ///
    /// - Parameters:
    ///   - path: The names of the elements, separated by slashes.
    ///   - type: `Date`.
    /// - Throws: ``XMLTreeError`` if there is nothing at the path, or the text isn't a date.
    public func value(at path: String, as type: Date.Type = Date.self) throws(XMLTreeError) -> Date {
        guard let date = try valueIfPresent(at: path, as: type) else { throw .missing(path: path, in: name) }
        return date
    }

    /// Returns the date of the first element or attribute at a path, or `nil` if there is none.
    ///
    /// The date is in the format of XML Schema, such as `2026-11-28T17:40:00Z` or `2026-11-28T18:40:00.5+01:00`. The
    /// start of the day in UTC is the date of `2026-11-28`.
    ///
    /// - Parameters:
    ///   - path: The names of the elements, separated by slashes.
    ///   - type: `Date`.
    /// - Throws: ``XMLTreeError/mismatch(path:in:type:)`` if the text isn't a date.
    public func valueIfPresent(at path: String, as type: Date.Type = Date.self) throws(XMLTreeError) -> Date? {
        try read(at: path, as: type, Self.date)
    }

    private func read<Value>(
        at path: String, as type: Value.Type, _ make: (String) -> Value?
    ) throws(XMLTreeError) -> Value? {
        guard let text = text(at: path) else { return nil }
        let trimmed = type == String.self ? text : text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard let value = make(trimmed) else {
            throw .mismatch(path: path.isEmpty ? "the text" : path, in: name, type: "\(type)")
        }
        return value
    }

    /// Reads a `dateTime` with a time zone, or a `date` without one (XML Schema Part 2 sections 3.3.7 and 3.3.9).
    private static func date(_ text: String) -> Date? {
        let hasOnlyKnown = text.utf8.allSatisfy(dateBytes.contains)
        guard hasOnlyKnown, text.utf8.count > 10 else {
            return text.utf8.count == 10 ? try? Date(text, strategy: .iso8601.year().month().day()) : nil
        }
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: text.contains("."))
        return try? Date(text, strategy: style)
    }

    private static let dateBytes = Set("0123456789-+:.TZ".utf8)

    private func first(at path: String) -> XMLTree? {
        first(at: Step.all(in: path)[...])
    }

    private func first(at steps: ArraySlice<Step>) -> XMLTree? {
        guard let step = steps.first else { return self }
        for child in children where step.matches(child) {
            if let found = child.first(at: steps.dropFirst()) { return found }
        }
        return nil
    }

    private func text(at path: String) -> String? {
        var steps = Step.all(in: path)
        guard let attribute = steps.last?.attribute else {
            return first(at: steps[...]).flatMap { $0.isNil ? nil : $0.text }
        }
        steps.removeLast()
        // The first element with the attribute, which may not be the first element.
        return elements(at: steps).lazy.compactMap { $0.attributes[attribute] }.first
    }
}

/// A name in a path.
private struct Step {
    let name: Substring
    /// The namespace: empty for none, `nil` for any.
    let namespace: Substring?

    static func all(in path: String) -> [Step] {
        var steps: [Step] = []
        var rest = path[...]
        while !rest.isEmpty {
            var namespace: Substring?
            // The name of a namespace often contains slashes.
            if rest.first == "{", let end = rest.firstIndex(of: "}") {
                namespace = rest[..<end].dropFirst()
                rest = rest[end...].dropFirst()
            }
            let name = rest.prefix { $0 != "/" }
            if !name.isEmpty { steps.append(Step(name: name, namespace: namespace)) }
            rest = rest[name.endIndex...].dropFirst()
        }
        return steps
    }

    /// The name of the attribute, or `nil` for an element.
    var attribute: String? { name.first == "@" ? String(name.dropFirst()) : nil }

    func matches(_ tree: XMLTree) -> Bool {
        tree.name == name && (namespace == nil || namespace == tree.namespace?[...] ?? "")
    }
}

/// A type that reads itself from XML. It can be the value of a request.
///
/// ```swift
/// struct Track: XMLReadable {
///     let position: Int
///     let title: String
///     let length: Int?
///
///     init(_ tree: XMLTree) throws {
///         position = try tree.value(at: "position")
///         title = try tree.value(at: "recording/title")
///         length = try tree.valueIfPresent(at: "length")
///     }
/// }
/// ```
public protocol XMLReadable: NetworkValue {
    /// Reads the value from an element.
    ///
    /// - Parameter tree: The element. For a response, the root of the document.
    init(_ tree: XMLTree) throws
}

extension XMLReadable {
    /// The media type `application/xml`.
    public static var contentType: String? { "application/xml" }

    /// Reads the value from the root element of a response's body.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - decoder: Not used.
    /// - Throws: ``XMLTreeError``, the error of ``init(_:)``, or `NetworkResponse.ReadingError` if the body is empty or
    ///   an HTML page.
    public static func read(_ response: NetworkResponse, using decoder: (any NetworkDecoder)?) throws -> Self {
        try XMLTree.read(response) { try Self($0) }
    }
}

/// The reason why XML can't be read.
@nonexhaustive
public enum XMLTreeError: LocalizedError, Sendable, Equatable, CustomStringConvertible {
    /// The document isn't well-formed, for a reason, in a line.
    case malformed(String, line: Int)
    /// The document has an internal document type, which may declare entities, in a line.
    case declaredEntities(line: Int)
    /// The document refers to an entity other than the five of XML, in a line.
    case unknownEntity(String, line: Int)
    /// The elements are nested deeper than the limit.
    case tooDeep(limit: Int)
    /// There are more elements and attributes than the limit.
    case tooLarge(limit: Int)
    /// The encoding isn't supported, or the bytes aren't valid in it.
    case encoding(String)
    /// An element has nothing at a path.
    case missing(path: String, in: String)
    /// The text at a path can't be read as a type.
    case mismatch(path: String, in: String, type: String)

    /// A message that names the problem, as part of a sentence.
    public var description: String {
        switch self {
        case .malformed(let reason, let line): "the XML isn't well-formed: \(reason), in line \(line)"
        case .declaredEntities(let line):
            "the XML has an internal document type, which isn't accepted since it may declare entities, in line \(line)"
        case .unknownEntity(let name, let line):
            "&\(name); isn't one of XML's five entities, in line \(line); a document without a DTD refers to other "
                + "characters by their numbers, such as &#160;"
        case .tooDeep(let limit): "the elements are nested deeper than \(limit) levels"
        case .tooLarge(let limit): "the XML has more than \(limit) elements and attributes"
        case .encoding(let name):
            "the bytes aren't valid in \(String(name.prefix(100)).debugDescription), or that encoding isn't supported"
        case .missing(let path, let name): "<\(name)> has no \(path)"
        case .mismatch(let path, let name, let type): "\(path) of <\(name)> can't be read as \(type)"
        }
    }

    /// The same as ``description``.
    public var errorDescription: String? { description }
}
