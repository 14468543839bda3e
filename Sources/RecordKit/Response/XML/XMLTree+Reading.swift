import Foundation

extension XMLTree {
    /// All elements at a path, in the order of the document: `medium-list/medium` are the `medium` in every
    /// `medium-list` below this element. Names have no prefix; an empty path is the element itself.
    public func elements(at path: String) -> [XMLTree] {
        Self.names(path).reduce([self]) { trees, name in
            trees.flatMap { tree in tree.children.filter { $0.name == name } }
        }
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

    /// The same, or nil when there is nothing at the path.
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
        first(at: Self.names(path)[...])
    }

    private func first(at names: ArraySlice<Substring>) -> XMLTree? {
        guard let name = names.first else { return self }
        for child in children where child.name == name {
            if let found = child.first(at: names.dropFirst()) { return found }
        }
        return nil
    }

    private static func names(_ path: String) -> [Substring] {
        path[...].parts(between: "/").filter { !$0.isEmpty }
    }

    private func text(at path: String) -> String? {
        guard let mark = path.firstIndex(of: "@") else { return first(at: path)?.text }
        let name = String(path[mark...].dropFirst())
        // The first that has the attribute, not the first that there is.
        return elements(at: String(path[..<mark])).lazy.compactMap { $0.attributes[name] }.first
    }

    private static func value<Value: LosslessStringConvertible>(of text: String, as type: Value.Type) -> Value? {
        if type == String.self { return Value(text) }
        let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
        if type == Bool.self, trimmed == "1" || trimmed == "0" { return Value(trimmed == "1" ? "true" : "false") }
        return Value(trimmed)
    }
}
