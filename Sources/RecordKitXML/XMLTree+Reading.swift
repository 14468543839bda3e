import Foundation

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
