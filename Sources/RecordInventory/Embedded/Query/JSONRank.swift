/// The order of values of different kinds, as the contract has it: null, text, numbers, booleans, arrays, objects, and
/// above all of them a field that is missing.
enum JSONRank: Int, CaseIterable, Comparable {
    case null, text, number, boolean, array, object, missing

    init(_ value: JSONValue?) {
        self =
            switch value {
            case .null?: .null
            case .string?: .text
            case .integer?, .number?: .number
            case .bool?: .boolean
            case .array?: .array
            case .object?: .object
            case nil: .missing
            }
    }

    /// The names that SQLite's `json_type` has for this kind; none for a missing field, whose type is NULL.
    var typeNames: [String] {
        switch self {
        case .null: ["null"]
        case .text: ["text"]
        case .number: ["integer", "real"]
        case .boolean: ["true", "false"]
        case .array: ["array"]
        case .object: ["object"]
        case .missing: []
        }
    }

    static func < (left: JSONRank, right: JSONRank) -> Bool {
        left.rawValue < right.rawValue
    }
}
