import RecordKitJSON

/// A field that a change sets to another value.
struct FieldDifference: Equatable, Sendable {
    let field: RecordField
    let old: String?
    let new: String?

    static func all(from old: Record, to new: Record) -> [FieldDifference] {
        RecordField.allCases.compactMap { field in
            let (before, after) = (field.text(of: old), field.text(of: new))
            return before == after ? nil : FieldDifference(field: field, old: before, new: after)
        }
    }

    /// `price: "18.50" becomes "16.00"`
    var text: String {
        func quoted(_ text: String?) -> String { text.map { "\"\($0.shown)\"" } ?? "nothing" }
        return "\(field.rawValue): \(quoted(old)) becomes \(quoted(new))"
    }
}

/// What an import would do with a row.
struct RowPreview: Equatable, Sendable {
    enum Result: String, Sendable {
        case created, updated, unchanged
    }

    let row: Int
    let sku: SKU
    var result: Result
    var differences: [FieldDifference] = []

    /// `row 3 (LP-0042): updated; price: "18.50" becomes "16.00"`
    var text: String {
        (["row \(row) (\(sku.text.printable)): \(result.rawValue)"] + differences.map(\.text)).joined(separator: "; ")
    }

    var json: JSONValue {
        [
            "row": JSONValue(row), "sku": .string(sku.text), "result": .string(result.rawValue),
            "changes": .object(
                JSONObject(
                    differences.map { difference in
                        JSONObject.Member(
                            name: difference.field.rawValue,
                            value: ["old": JSONValue(difference.old), "new": JSONValue(difference.new)])
                    })),
        ]
    }
}
