public import Foundation
public import RecordKit

/// An element of an XML document with all that is in it: the answer of an API that speaks XML, as a value.
///
/// ```swift
/// let tree = try await network.value(for: Catalogue.release(id))       // ValueType = XMLTree
/// let title: String = try tree.value(at: "release/title")
/// let credits = tree.elements(at: "release/artist-credit/name-credit")
/// let artists: [String] = try credits.map { try $0.value(at: "artist/name") }
/// ```
///
/// Or the domain's own type reads itself from it; see ``XMLReadable``.
///
/// It is made for documents without a document type of their own: entities that a document declares are refused, and
/// nothing is ever fetched. Foundation's `XMLParser` is not used: on Linux `<?x?>` and a byte in an attribute that is
/// not UTF-8 end the process, a document that is cut off is read with success, and the time it takes is quadratic in
/// the attributes of an element; it would also bring libxml2 into every program.
public struct XMLTree: Sendable, Equatable {
    /// The name without its prefix.
    public let name: String
    /// The URI of the namespace that the name belongs to; nil when it belongs to none.
    public let namespace: String?
    /// The attributes by their names as they are written, prefixes included. Declarations of namespaces are left out.
    public let attributes: [String: String]
    /// The elements directly below, in order.
    public let children: [XMLTree]
    /// The text directly within, all pieces joined, white space kept.
    public let text: String
    /// Whether it says that it has no value (XML Schema Part 1 section 2.6.2).
    var isNil: Bool

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

    /// Whether all that one can see of them is the same: which namespace an attribute belongs to is not.
    public static func == (one: XMLTree, other: XMLTree) -> Bool {
        one.name == other.name && one.namespace == other.namespace && one.attributes == other.attributes
            && one.text == other.text && one.children == other.children
    }

    static func isTrue(_ value: String?) -> Bool { value == "true" || value == "1" }

    /// The root element of a document.
    ///
    /// - Parameters:
    ///   - data: the document.
    ///   - charset: the one that `Content-Type` names, which wins over the document's own word (RFC 7303 section 3).
    ///   - depthLimit: how many elements may lie in one another.
    ///   - nodeLimit: how many elements and attributes there may be in all.
    /// - Throws: ``UnreadableXML``.
    public init(
        _ data: Data, charset: String? = nil, depthLimit: Int = 128, nodeLimit: Int = 1_000_000
    ) throws(UnreadableXML) {
        var parser = XMLTreeParser(
            try XMLText.bytes(of: data, charset: charset), depthLimit: depthLimit, nodeLimit: nodeLimit)
        self = try parser.parse()
    }
}

extension XMLTree: NetworkValue {
    public static func read(_ response: NetworkResponse, using decoder: any NetworkDecoder) throws -> XMLTree {
        if response.body.isEmpty { throw NetworkResponse.Unreadable.emptyBody }
        return try XMLTree(response.body, charset: response.mediaType?.parameters["charset"])
    }
}

extension XMLTree {
    /// All elements at a path, in the order of the document: `medium-list/medium` are the `medium` in every
    /// `medium-list` below this element. An empty path is the element itself.
    ///
    /// Names have no prefix, and match in every namespace. One namespace is named in braces, `{urn:example}title`, and
    /// `{}link` matches a `link` of none.
    public func elements(at path: String) -> [XMLTree] {
        elements(at: Step.all(in: path))
    }

    private func elements(at steps: [Step]) -> [XMLTree] {
        steps.reduce([self]) { trees, step in trees.flatMap { $0.children.filter(step.matches) } }
    }

    /// The first element at a path.
    ///
    /// - Throws: ``UnreadableXML/missing(path:in:)``.
    public func element(at path: String) throws(UnreadableXML) -> XMLTree {
        guard let tree = first(at: path) else { throw .missing(path: path, in: name) }
        return tree
    }

    /// The text of the first element at a path, or of an attribute, written `@id` or `artist/@id`, as a value. A string
    /// is taken as it is; for every other type white space around the text does not count. `true`, `false`, `1` and `0`
    /// are booleans.
    ///
    /// - Throws: ``UnreadableXML``, when there is nothing at the path, or the text is no such value.
    public func value<Value: LosslessStringConvertible>(
        at path: String, as type: Value.Type = Value.self
    ) throws(UnreadableXML) -> Value {
        guard let value = try valueIfPresent(at: path, as: type) else { throw .missing(path: path, in: name) }
        return value
    }

    /// The same, or nil when there is nothing at the path, or an element that says so with `xsi:nil="true"` (XML Schema
    /// Part 1 section 2.6.2), whatever prefix the document has for that namespace.
    ///
    /// - Throws: ``UnreadableXML/mismatch(path:in:type:)``, when there is and it is no such value.
    public func valueIfPresent<Value: LosslessStringConvertible>(
        at path: String, as type: Value.Type = Value.self
    ) throws(UnreadableXML) -> Value? {
        guard let text = text(at: path) else { return nil }
        guard let value = Self.value(of: text, as: type) else {
            throw .mismatch(path: path.isEmpty ? "the text" : path, in: name, type: "\(type)")
        }
        return value
    }

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
        // The first that has the attribute, not the first that there is.
        return elements(at: steps).lazy.compactMap { $0.attributes[attribute] }.first
    }

    private static func value<Value: LosslessStringConvertible>(of text: String, as type: Value.Type) -> Value? {
        if type == String.self { return Value(text) }
        let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
        if type == Bool.self, trimmed == "1" || trimmed == "0" { return Value(trimmed == "1" ? "true" : "false") }
        return Value(trimmed)
    }
}

/// One name of a path.
private struct Step {
    let name: Substring
    /// Empty for none; nil where any will do.
    let namespace: Substring?

    static func all(in path: String) -> [Step] {
        var steps: [Step] = []
        var rest = path[...]
        while !rest.isEmpty {
            var namespace: Substring?
            // What names a namespace mostly has slashes.
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

    /// The name of an attribute, where it is one.
    var attribute: String? { name.first == "@" ? String(name.dropFirst()) : nil }

    func matches(_ tree: XMLTree) -> Bool {
        tree.name == name && (namespace == nil || namespace == tree.namespace?[...] ?? "")
    }
}

/// A type that reads itself from XML, and so can be what a request gives.
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
    /// Reads an element: for an answer, the root of the document.
    init(_ tree: XMLTree) throws
}

extension XMLReadable {
    public static func read(_ response: NetworkResponse, using decoder: any NetworkDecoder) throws -> Self {
        try Self(XMLTree.read(response, using: decoder))
    }
}

/// Why XML could not be read.
public enum UnreadableXML: Error, Sendable, Equatable, CustomStringConvertible {
    /// It breaks the rules of XML, for a reason, in a line.
    case malformed(String, line: Int)
    /// It declares entities, or uses one that is not among the five of XML.
    case entity(line: Int)
    /// Elements lie in one another deeper than the limit.
    case tooDeep(limit: Int)
    /// There are more elements and attributes than the limit.
    case tooLarge(limit: Int)
    /// The bytes are in an encoding that is not known, or are not valid in it.
    case encoding(String)
    /// An element has nothing at a path.
    case missing(path: String, in: String)
    /// The text at a path cannot be read as a type.
    case mismatch(path: String, in: String, type: String)

    public var description: String {
        switch self {
        case .malformed(let reason, let line): "it is not well-formed XML: \(reason), in line \(line)"
        case .entity(let line): "it uses or declares an entity, which is refused, in line \(line)"
        case .tooDeep(let limit): "its elements lie deeper than \(limit) in one another"
        case .tooLarge(let limit): "it has more than \(limit) elements and attributes"
        case .encoding(let name):
            "its bytes are not valid in \(String(name.prefix(100)).debugDescription), or that encoding is not known"
        case .missing(let path, let name): "<\(name)> has no \(path)"
        case .mismatch(let path, let name, let type): "\(path) of <\(name)> is no \(type)"
        }
    }
}
