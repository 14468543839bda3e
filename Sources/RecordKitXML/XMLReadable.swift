public import RecordKit

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
