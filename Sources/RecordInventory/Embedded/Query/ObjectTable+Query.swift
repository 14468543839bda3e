extension ObjectTable {
    /// Returns the objects of a page, and whether it is the last.
    func page(of query: ListQuery, in list: List) throws -> (objects: [StoredObject], isLast: Bool) {
        let select = Self.select(query, in: list)
        var objects: [StoredObject] = []
        try database.statement(select.sql).forEachRow(select.values) { objects.append(Self.read($0)) }
        let isLast = objects.count <= query.limit
        return (Array(objects.prefix(query.limit)), isLast)
    }

    /// Makes the statement of a page. Asks for one object more than the page holds.
    static func select(_ query: ListQuery, in list: List) -> SQLBuilder {
        var select = SQLBuilder("SELECT id, version, data FROM \(objects)")
        select.appendConditions(of: query, in: list)
        select.appendOrder(query.order)
        select.append(" LIMIT \(select.bind(.integer(Int64(query.limit) + 1)))")
        return select
    }

    /// Returns the number of objects that pass the filters, whatever the limit.
    func count(of query: ListQuery, in list: List) throws -> Int64 {
        var select = SQLBuilder("SELECT count(*) FROM \(Self.objects)")
        select.appendConditions(of: query, in: list)
        return try database.statement(select.sql).first(select.values) { $0.integer(0) } ?? 0
    }
}

extension SQLBuilder {
    fileprivate mutating func appendConditions(of query: ListQuery, in list: ObjectTable.List) {
        append(" WHERE list = \(bind(.integer(list.number)))")
        if !query.includesTombstones { append(" AND deleted = 0") }
        for filter in query.filters {
            append(" AND (\(condition(filter)))")
        }
        let rules = query.pageRules.map { rule in
            "(" + rule.map { "(\(condition($0)))" }.joined(separator: " AND ") + ")"
        }
        if !rules.isEmpty { append(" AND (\(rules.joined(separator: " OR ")))") }
    }

    fileprivate mutating func appendOrder(_ order: [ListQuery.Order]) {
        let terms = order.flatMap { order in
            let (value, type) = parts(of: order.field)
            let direction = order.isDescending ? " DESC" : ""
            guard case .data = order.field else { return [value + direction] }
            let ranks = JSONRank.allCases.flatMap { rank in rank.typeNames.map { "WHEN '\($0)' THEN \(rank.rawValue)" }
            }
            let rank = "CASE \(type) \(ranks.joined(separator: " ")) ELSE \(JSONRank.missing.rawValue) END"
            return [rank + direction, value + direction]
        }
        append(" ORDER BY " + terms.joined(separator: ", "))
    }
}
