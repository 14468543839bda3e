import Foundation

extension ListQuery {
    /// - Parameter now: milliseconds since 1970. Refuses versions more than a day later.
    init(_ parameters: QueryParameters, now: Int64) throws(StoreRefusal) {
        self.init()
        if let limit = try parameters.integer("_limit"), limit > 0 {
            self.limit = Int(min(limit, Int64(Self.maximumLimit)))
        }
        order = try Self.order(parameters)
        fields = parameters.list("_fields").flatMap { $0.isEmpty ? nil : $0 }
        if let token = parameters.values("_token"), token != [""] {
            guard token.count == 1, let token = PageToken(token[0], for: order) else {
                throw .invalid(.querystring, nil, "_token has invalid content")
            }
            after = token.values
        }
        // Not in Kinto's API. Kinto ignores parameters that begin with an underscore.
        search = parameters.values("_search")?.first.map { SearchQuery(typed: $0) }
        for (name, values) in parameters.items {
            guard let filter = try Self.filter(name.trimmingCharacters(in: .whitespaces), values, now: now)
            else { continue }
            filters.append(filter)
        }
        includesTombstones = filters.contains { $0.field == .version }
    }

    private static func order(_ parameters: QueryParameters) throws(StoreRefusal) -> [Order] {
        var order: [Order] = []
        for item in parameters.list("_sort") ?? [] {
            let term = item.trimmingCharacters(in: .whitespaces)
            let name = term.drop { $0 == "-" || $0 == "+" }
            guard term.count - name.count <= 1, name.isFieldName else { continue }
            order.append(Order(name: String(name), isDescending: term.hasPrefix("-")))
            // These fields are unique, so fields after them have no effect.
            if name == "id" || name == "last_modified" { return order }
            guard order.count <= 16 else { throw .invalid(.querystring, "_sort", "_sort has too many fields") }
        }
        return order + [Order(name: "last_modified", isDescending: true)]
    }

    /// Returns the condition of a parameter, or `nil` if it controls the list.
    private static func filter(_ name: String, _ values: [String], now: Int64) throws(StoreRefusal) -> FieldFilter? {
        if name.hasPrefix("_") { return nil }
        let parameter = try FilterParameter(name: name, values: values)
        guard !parameter.hasNull else { throw .invalid(.querystring, name, "Invalid character 0x00 in \(name)") }
        let field = StoredField(parameter.field)
        if field == .version {
            guard let version = parameter.version, version <= now + 86_400_000, parameter.takesOneValue else {
                throw .invalid(.querystring, name, "Invalid value for \(name)")
            }
            return FieldFilter(field: field, comparison: parameter.comparison(with: .integer(version)))
        }
        if field == .id { try parameter.checkIDs() }
        return FieldFilter(field: field, comparison: parameter.comparison())
    }
}

extension StringProtocol {
    /// Whether the string has only letters, digits, underscores and dots.
    var isFieldName: Bool {
        !isEmpty && allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "." }
    }
}
