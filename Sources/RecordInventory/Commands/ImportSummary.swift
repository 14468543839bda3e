/// What became of the rows of a file.
struct ImportSummary: Sendable {
    var created = 0
    var updated = 0
    var unchanged = 0
    var rejected: [RowError] = []

    var json: OrderedJSON {
        [
            "created": OrderedJSON(created),
            "updated": OrderedJSON(updated),
            "unchanged": OrderedJSON(unchanged),
            "rejected": .array(
                rejected.sorted { $0.row < $1.row }.map { row in
                    ["row": OrderedJSON(row.row), "sku": OrderedJSON(row.sku), "reason": .string(row.reason)]
                }),
        ]
    }

    var text: String {
        "\(created) created, \(updated) updated, \(unchanged) unchanged, \(rejected.count) rejected"
    }
}
