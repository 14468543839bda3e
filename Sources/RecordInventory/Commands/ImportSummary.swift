/// What became of the rows of a file.
struct ImportSummary: Sendable {
    var created = 0
    var updated = 0
    var unchanged = 0
    var rejected: [RowError] = []
    /// How many of the unchanged are in stock with other values than the file's.
    var differing = 0
    /// The rows that put copies of what was sold out back into the stock, as they are told of.
    var returns: [String] = []

    /// How many rows went in, or were there already.
    var accepted: Int { created + updated + unchanged }

    var json: JSONValue {
        [
            "created": JSONValue(created),
            "updated": JSONValue(updated),
            "unchanged": JSONValue(unchanged),
            "rejected": .array(
                rejected.sorted { $0.row < $1.row }.map { row in
                    ["row": JSONValue(row.row), "sku": JSONValue(row.sku), "reason": .string(row.reason)]
                }),
        ]
    }

    var text: String {
        "\(created) created, \(updated) updated, \(unchanged) unchanged, \(rejected.count) rejected"
    }

    /// What the counts do not tell.
    var notes: [String] {
        if differing == 0 { return returns }
        let subject = differing == 1 ? "1 SKU is" : "\(differing) SKUs are"
        return returns + [
            "\(subject) in stock with other values, which stay as they are; --on-duplicate update takes the file's."
        ]
    }
}
