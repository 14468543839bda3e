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
        case .array:
            var elements: [JSONValue] = []
            elements.reserveCapacity(Int(entry.end))
            var element = index + 1
            for _ in 0..<entry.end {
                elements.append(tree(element))
                element = Int(self[element].next)
            }
            return .array(elements)
        case .object:
            var members: [JSONObject.Member] = []
            members.reserveCapacity(Int(entry.end))
            var member = index + 1
            for _ in 0..<entry.end {
                members.append(JSONObject.Member(name: string(self[member]), value: tree(member + 1)))
                member = Int(self[member + 1].next)
            }
            return .object(JSONObject(members))
        }
    }
}
