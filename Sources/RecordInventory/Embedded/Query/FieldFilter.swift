/// One condition on a field. Of several, all must hold.
struct FieldFilter: Equatable, Sendable {
    enum Comparison: Equatable, Sendable {
        case equal(JSONValue?)
        case notEqual(JSONValue)
        /// Values of a lower kind are less than the value too, as ``JSONRank`` has it.
        case less(JSONValue?, orEqual: Bool = false)
        case greater(JSONValue?, orEqual: Bool = false)
        case isIn([JSONValue])
        case isNotIn([JSONValue])
        /// Text that resembles a pattern, as ``TextPattern`` has it.
        case like(String)
        case has(Bool)
        /// An array with all of the values.
        case contains([JSONValue])
        /// An array with at least one of the values.
        case containsAny([JSONValue])
    }

    let field: StoredField
    let comparison: Comparison
}
