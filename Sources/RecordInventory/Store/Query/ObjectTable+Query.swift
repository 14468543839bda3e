extension ObjectTable {
    /// Returns the objects of a page, and whether it is the last.
    func page(of query: ListQuery, in list: List) throws -> (objects: [StoredObject], isLast: Bool) {
        let select = Self.select(query, in: list, table: try search(for: query, in: list))
        var objects: [StoredObject] = []
        do {
            try database.statement(select.sql).forEachRow(select.values) { objects.append(Self.read($0)) }
        } catch {
            // The transaction ends, and takes back what was found.
            results.forget()
            throw error
        }
        let isLast = objects.count <= query.limit
        return (Array(objects.prefix(query.limit)), isLast)
    }

    /// Returns the number of the objects of all pages.
    func count(of query: ListQuery, in list: List) throws -> Int64 {
        var select = SQLBuilder("SELECT count(*) FROM \(try search(for: query, in: list))")
        select.appendConditions(of: query, in: list)
        var count: Int64 = 0
        try database.statement(select.sql).forEachRow(select.values) { count = $0.integer(0) }
        return count
    }

    /// Makes the statement of a page. Asks for one object more than the page holds.
    static func select(_ query: ListQuery, in list: List, table: String = objects) -> SQLBuilder {
        var select = SQLBuilder("SELECT id, version, data FROM \(table)")
        select.appendConditions(of: query, in: list)
        select.appendOrder(of: query)
        select.append(" LIMIT \(select.bind(.integer(Int64(query.limit) + 1)))")
        return select
    }

    /// Returns the subquery for the objects that the search of a query finds, or for all objects of a list that cannot
    /// be searched: the caller filters them.
    private func search(for query: ListQuery, in list: List) throws -> String {
        guard let search = query.search, !search.hasNoWords, try SearchIndex(database: database).exists() else {
            return Self.objects
        }
        try results.find(search, in: list)
        return SearchResults.objects
    }
}

extension FieldFilter {
    /// The strings that a condition asks for, and the expression of the index that has them. `nil` if there is none.
    fileprivate var indexed: (expression: String, values: [JSONValue])? {
        guard let name = SQLBuilder.indexes.keys.first(where: { field == StoredField($0) }) else { return nil }
        let values: [JSONValue]
        switch comparison {
        case .equal(let value?): values = [value]
        case .isIn(let wanted): values = wanted
        default: return nil
        }
        return values.allSatisfy { $0.string != nil } ? (SQLBuilder.indexed(name), values) : nil
    }
}

extension ListQuery {
    /// The times of this page and later ones, if an index of times has them all. `nil` for a list that is open at one end,
    /// or has both openings and others.
    fileprivate var times: (range: ClosedRange<Int64>, ofOpenings: Bool)? {
        guard let first = order.first, first.name == "at" else { return nil }
        var (lowest, highest): (Int64?, Int64?)
        var kinds: [JSONValue] = []
        for filter in filters {
            switch (filter.field, filter.comparison) {
            case (first.field, .greater(.integer(let bound)?, _)): lowest = max(bound, lowest ?? bound)
            case (first.field, .less(.integer(let bound)?, _)): highest = min(bound, highest ?? bound)
            case (StoredField("kind"), .isIn(let wanted)): kinds = wanted
            default: break
            }
        }
        let opening = JSONValue.string(Movement.Kind.opening.rawValue)
        let ofOpenings = kinds == [opening]
        guard var lowest, var highest, ofOpenings || !kinds.isEmpty && !kinds.contains(opening),
            kinds.allSatisfy({ $0.string != nil })
        else { return nil }
        if case .integer(let reached)?? = after?.first {
            if first.isDescending { highest = min(highest, reached) } else { lowest = max(lowest, reached) }
        }
        return (lowest...max(lowest, highest), ofOpenings)
    }

    /// The expression of the index that has the times.
    fileprivate var time: String? { times.map { SQLBuilder.time(of: "stored", ofOpenings: $0.ofOpenings) } }
}

extension SQLBuilder {
    /// The fields of records and movements that have an index, with its name.
    static let indexes = ["barcode": "barcodes", "sku": "skus", "command": "commands", "undoes": "undone"]

    /// A field of an object, as its index has it.
    static func indexed(_ field: String) -> String {
        "CASE WHEN json_valid(data) AND data LIKE '{%' THEN json_extract(data, '$.\(field)') END"
    }

    /// The names of the indexes of times: of openings, and of other movements. Openings are many after an import, and would
    /// hide the others.
    static let times = [true: "openings", false: "times"]

    /// The time of a movement, as an index has it.
    ///
    /// - Parameters:
    ///   - data: the column of the JSON as stored.
    ///   - ofOpenings: whether the index has openings, or all other movements.
    static func time(of data: String = "data", ofOpenings: Bool = false) -> String {
        """
        CASE WHEN json_valid(\(data)) AND \(data) LIKE '{%'
            AND json_extract(\(data), '$.kind') \(ofOpenings ? "=" : "<>") '\(Movement.Kind.opening.rawValue)'
            THEN json_extract(\(data), '$.at') END
        """
    }

    fileprivate mutating func appendConditions(of query: ListQuery, in list: ObjectTable.List) {
        append(" WHERE list = \(bind(.integer(list.number)))")
        if !query.includesTombstones { append(" AND deleted = 0") }
        for filter in query.filters {
            append(" AND (\(condition(filter)))")
            if let (expression, values) = filter.indexed {
                // The index is of no use in the condition itself, since SQLite prefers the one that gives the order.
                let wanted = bind(.utf8(JSONWriter.bytes(.array(values))))
                append(
                    """
                     AND id IN (SELECT id FROM objects WHERE list = \(bind(.integer(list.number)))
                        AND \(expression) IS NOT NULL AND \(expression) IN (SELECT value FROM json_each(\(wanted))))
                    """)
            }
        }
        let rules = query.pageRules.map { rule in
            "(" + rule.map { "(\(condition($0)))" }.joined(separator: " AND ") + ")"
        }
        if !rules.isEmpty { append(" AND (\(rules.joined(separator: " OR ")))") }
        if let times = query.times?.range, let time = query.time {
            let (first, last) = (bind(.integer(times.lowerBound)), bind(.integer(times.upperBound)))
            append(" AND \(time) BETWEEN \(first) AND \(last)")
        }
    }

    fileprivate mutating func appendOrder(of query: ListQuery) {
        let terms = query.order.enumerated().flatMap { index, order in
            if index == 0, let time = query.time { return [time + (order.isDescending ? " DESC" : "")] }
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
