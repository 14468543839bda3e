/// What is asked of a list: which objects, in which order, and how many.
struct ListQuery: Equatable, Sendable {
    struct Order: Equatable, Sendable {
        let name: String
        let isDescending: Bool

        var field: StoredField { StoredField(name) }
    }

    var filters: [FieldFilter] = []
    /// Ends with a field that is never the same twice, so that the order is whole.
    var order: [Order] = [Order(name: "last_modified", isDescending: true)]
    /// The largest number of objects to answer.
    var limit = ListQuery.maximumLimit
    /// The values of the order's fields in the last object of the page before this one; nil for a missing field.
    var after: [JSONValue?]?
    var includesTombstones = false
    /// The fields to answer, besides `id` and `last_modified`; nil for all.
    var fields: [String]?

    /// A page never holds more, whatever the limit asked for.
    static let maximumLimit = 10_000

    /// The conditions that leave out everything up to the page's beginning: one of the groups must hold.
    var pageRules: [[FieldFilter]] {
        guard let after else { return [] }
        let values = Array(zip(order, after))
        return values.indices.map { index in
            let (last, value) = values[index]
            let equals = values[..<index].map { FieldFilter(field: $0.field, comparison: .equal($1)) }
            let beyond = FieldFilter(
                field: last.field, comparison: last.isDescending ? .less(value) : .greater(value))
            return equals + [beyond]
        }
    }
}
