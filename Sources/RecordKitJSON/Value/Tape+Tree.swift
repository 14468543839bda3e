extension Tape {
    /// Returns a value as a tree. The depth of a document is limited, and so is that of the recursion.
    func tree(_ index: Int) -> JSONValue {
        let entry = self[index]
        switch entry.kind {
        case .null: return .null
        case .true: return .bool(true)
        case .false: return .bool(false)
        case .integer, .number: return .number(JSONNumber(checked: string(entry)))
        case .ascii, .text, .escaped: return .string(string(entry))
        case .array: return .array(children(of: index).map(tree))
        case .object:
            return .object(
                JSONObject(
                    children(of: index).map { JSONObject.Member(name: string(self[$0]), value: tree($0 + 1)) }))
        }
    }
}
