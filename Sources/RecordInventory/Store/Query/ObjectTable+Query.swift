import RecordKitJSON
import RecordKitSQLite

extension ObjectTable {
    /// Returns the objects of a page, and whether it is the last.
    func page(of query: ListQuery, in list: List) throws -> (objects: [StoredObject], isLast: Bool) {
        let select = Self.select(query, in: list, table: try search(for: query, in: list))
        let objects: [StoredObject]
        do {
            objects = try database.statement(select.sql).all(select.values, Self.read)
        } catch {
            // The end of the transaction takes back what was found.
            results.forget()
            throw error
        }
        let isLast = objects.count <= query.limit
        return (Array(objects.prefix(query.limit)), isLast)
    }

    /// Returns the number of the objects of all pages.
    func count(of query: ListQuery, in list: List) throws -> Int64 {
        var select = SQLBuilder(sql: "SELECT count(*) FROM \(try search(for: query, in: list))")
        select.appendConditions(of: query, in: list)
        return try database.statement(select.sql).first(select.values) { $0.integer(0) } ?? 0
    }

    /// Returns the statement of a page. Asks for one object more than the page holds.
    static func select(_ query: ListQuery, in list: List, table: String = objects) -> SQLBuilder {
        var select = SQLBuilder(sql: "SELECT id, version, data FROM \(table)")
        select.appendConditions(of: query, in: list)
        select.appendOrder(of: query)
        select.sql += " LIMIT \(select.bind(.integer(Int64(query.limit) + 1)))"
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
    /// The expression of the index that has the strings which a condition asks for, or `nil` if there is none.
    fileprivate var indexed: String? {
        guard let name = SQLBuilder.indexes.keys.first(where: { field == StoredField($0) }) else { return nil }
        let isIndexed =
            switch comparison {
            case .equal: value.string != nil
            case .isIn: value.array?.allSatisfy { $0.string != nil } == true
            default: false
            }
        return isIndexed ? SQLBuilder.indexed(name) : nil
    }
}

extension ListQuery {
    /// The times of this page and later ones, if an index of times has them all. `nil` for a list that is open at one
    /// end, or has both openings and others.
    fileprivate var times: (range: ClosedRange<Int64>, ofOpenings: Bool)? {
        guard let first = order.first, first.name == "time.at" else { return nil }
        var (lowest, highest): (Int64?, Int64?)
        var kinds: [JSONValue] = []
        for filter in filters {
            let bound = filter.field == first.field ? filter.value.integer : nil
            switch (filter.comparison, bound) {
            case (.greater, let bound?), (.atLeast, let bound?): lowest = max(bound, lowest ?? bound)
            case (.less, let bound?), (.atMost, let bound?): highest = min(bound, highest ?? bound)
            case (.isIn, _) where filter.field == StoredField("kind"): kinds = filter.value.array ?? []
            default: break
            }
        }
        let opening = JSONValue.string(Movement.Kind.opening.rawValue)
        let ofOpenings = kinds == [opening]
        guard var lowest, var highest, ofOpenings || !kinds.isEmpty && !kinds.contains(opening),
            kinds.allSatisfy({ $0.string != nil })
        else { return nil }
        if let reached = after?.first?.integer {
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

    /// The names of the indexes of times: of openings, and of other movements. An import creates many openings, which
    /// would hide the others.
    static let times = [true: "openings", false: "times"]

    /// The time of a movement, as an index has it.
    ///
    /// - Parameters:
    ///   - data: The column of the JSON as stored.
    ///   - ofOpenings: Whether the index has openings, or all other movements.
    static func time(of data: String = "data", ofOpenings: Bool = false) -> String {
        """
        CASE WHEN json_valid(\(data)) AND \(data) LIKE '{%'
            AND json_extract(\(data), '$.kind') \(ofOpenings ? "=" : "<>") '\(Movement.Kind.opening.rawValue)'
            THEN json_extract(\(data), '$.time.at') END
        """
    }

    private mutating func condition(_ filter: FieldFilter) -> String {
        comparison(value(of: filter.field), filter)
    }

    fileprivate mutating func appendConditions(of query: ListQuery, in list: ObjectTable.List) {
        sql += " WHERE list = \(bind(.integer(list.number)))"
        if !query.includesTombstones { sql += " AND deleted = 0" }
        for filter in query.filters {
            if let indexed = filter.indexed {
                // In a subquery, since SQLite otherwise prefers the index that gives the order.
                sql += """
                     AND id IN (SELECT id FROM objects WHERE list = \(bind(.integer(list.number)))
                        AND \(indexed) IS NOT NULL AND \(comparison(indexed, filter)))
                    """
            } else {
                sql += " AND \(condition(filter))"
            }
        }
        let rules = query.pageRules.map { rule in
            "(" + rule.map { condition($0) }.joined(separator: " AND ") + ")"
        }
        if !rules.isEmpty { sql += " AND (\(rules.joined(separator: " OR ")))" }
        if let times = query.times?.range, let time = query.time {
            let (first, last) = (bind(.integer(times.lowerBound)), bind(.integer(times.upperBound)))
            sql += " AND \(time) BETWEEN \(first) AND \(last)"
        }
    }

    fileprivate mutating func appendOrder(of query: ListQuery) {
        let terms = query.order.enumerated().map { index, order in
            if index == 0, let time = query.time { return time + (order.isDescending ? " DESC" : "") }
            let value = value(of: order.field)
            let direction = order.isDescending ? " DESC" : ""
            if case .data = order.field { return value + direction + " NULLS LAST" }
            return value + direction
        }
        sql += " ORDER BY " + terms.joined(separator: ", ")
    }
}
