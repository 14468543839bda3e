import Foundation

extension CommandRunner {
    func list(_ list: Command.List) async throws {
        var filter = RecordFilter(conditions: list.conditions.compactMap(\.onServer))
        let isFinal = list.sort.isEmpty && list.search == nil && filter.conditions.count == list.conditions.count
        if isFinal, let limit = list.limit, limit < 1_000 { filter.pageSize = max(limit, 1) }
        var records: [Record] = []
        // What the server could tell is looked at once more: it costs little, and no server's notion of order or
        // equality shows through.
        try await stock.eachPage(filter) { page in
            records += page.lazy.map(\.record).filter { list.accepts($0) }
            return !(isFinal && records.count >= list.limit ?? .max)
        }
        records.sort(by: list.precedes)
        try printRecords(Array(records.prefix(list.limit ?? .max)))
    }
}

extension Command.Condition {
    /// The condition as a server can check it; nil for one that only the tool can. Prices compare across currencies, and
    /// texts have no order that all servers share.
    fileprivate var onServer: RecordFilter.Condition? {
        guard field.kind != .price else { return nil }
        switch (value, comparison) {
        case (.text(let text), .equal):
            return RecordFilter.Condition(field: field, comparison: .equal, value: .text(text))
        case (.number(let number), _):
            guard let number = Int64(exactly: number) else { return nil }
            let comparison: RecordFilter.Comparison =
                switch comparison {
                case .equal: .equal
                case .atLeast: .atLeast
                case .atMost: .atMost
                }
            return RecordFilter.Condition(field: field, comparison: comparison, value: .number(number))
        case (.text, _), (.none, _): return nil
        }
    }

    fileprivate func accepts(_ record: Record) -> Bool {
        let found = field.value(of: record)
        return switch comparison {
        case .equal: found == value
        case .atLeast: found != .none && found >= value
        case .atMost: found != .none && found <= value
        }
    }
}

extension Command.List {
    fileprivate func accepts(_ record: Record) -> Bool {
        conditions.allSatisfy { $0.accepts(record) } && (search.map { record.mentions($0) } ?? true)
    }

    /// By the keys, then by SKU. Records without a value come last, whichever way the rest goes.
    fileprivate func precedes(_ one: Record, _ other: Record) -> Bool {
        for key in sort {
            let (a, b) = (key.field.value(of: one), key.field.value(of: other))
            if a == b { continue }
            if a == .none || b == .none { return b == .none }
            return key.isDescending ? a > b : a < b
        }
        return one.sku.text < other.sku.text
    }
}

extension Record {
    /// Whether artist, title, label or catalogue number hold the text, in capitals or not.
    fileprivate func mentions(_ text: String) -> Bool {
        [artist, title, label, catalogueNumber].contains { $0?.range(of: text, options: .caseInsensitive) != nil }
    }
}
