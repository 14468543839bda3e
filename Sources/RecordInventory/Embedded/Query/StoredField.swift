/// A field that a list is filtered or sorted by: `id`, `last_modified`, or one of the data, `price.amount` perhaps.
enum StoredField: Equatable, Sendable {
    case id
    case version
    /// A path for SQLite's JSON functions. It is bound as a value, never made part of a statement.
    case data(path: String)
    /// A field that no object has, since no path can name it.
    case absent

    init(_ name: String) {
        switch name {
        case "id": self = .id
        case "last_modified": self = .version
        default:
            let keys = name.split(separator: ".", omittingEmptySubsequences: false)
            // SQLite's paths know no escape: a quote ends a key, and a stored key with one never matches.
            let isNamable = keys.allSatisfy { key in
                !key.isEmpty && key.unicodeScalars.allSatisfy { $0 != "\"" && $0 != "\\" && $0.value >= 0x20 }
            }
            self = isNamable ? .data(path: "$" + keys.map { ".\"\($0)\"" }.joined()) : .absent
        }
    }
}
