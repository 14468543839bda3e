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
