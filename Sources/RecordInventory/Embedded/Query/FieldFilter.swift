/// One condition on a field. Of several, all must hold.
struct FieldFilter: Equatable, Sendable {
    enum Comparison: Equatable, Sendable {
        case equal(JSONValue?)
        /// Values of a lower kind are less than the value too, as ``JSONRank`` has it.
        case less(JSONValue?, orEqual: Bool = false)
        case greater(JSONValue?, orEqual: Bool = false)
        case isIn([JSONValue])
    }

    let field: StoredField
    let comparison: Comparison
}
