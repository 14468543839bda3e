import Foundation

extension CommandRunner {
    func list(_ list: Command.List) async throws -> ExitCode {
        do {
            let (records, areAll) = try await records(of: list)
            try printRecords(records)
            return areAll ? .done : .partlyDone
        } catch InventoryError.noShop {
            reportMissingShop("There are no records")
            if printsJSON { try console.print(json: "[]") }
            return .done
        }
    }

    /// The records that are asked for, and whether all could be read.
    private func records(of list: Command.List) async throws -> ([Record], areAll: Bool) {
        // To a server a name that comes twice is a list of values, which no field equals.
        var names: Set<String> = []
        let conditions = list.conditions.compactMap(\.onServer).filter { names.insert($0.name).inserted }
        let filter = RecordFilter(conditions: conditions)
        let limit = list.limit ?? .max
        var records: [Record] = []
        // What the server could tell is looked at once more: it costs little, and no server's notion of order or
        // equality shows through.
        var unreadable = try await eachPage(filter) { page in
            records += page.lazy.map(\.record).filter { list.accepts($0) }
            return !list.sort.isEmpty || records.lazy.filter(\.sku.isRecordID).count < limit
        }
        if list.sort.isEmpty, records.count >= limit {
            // Ids come in the order of their SKUs, but for SKUs that no id can be: those are all looked at.
            var escaped = filter
            escaped.ids = SKU.escapedIDs
            records.removeAll { !$0.sku.isRecordID }
            unreadable = try await eachPage(escaped, alreadyReported: unreadable) { page in
                records += page.lazy.map(\.record).filter { list.accepts($0) }
                return true
            }
        }
        records.sort(by: list.precedes)
        return (Array(records.prefix(limit)), unreadable.isEmpty)
    }
}

extension Command.Condition {
    /// The condition as a server can check it; nil for one that only the tool can. Prices compare across currencies,
    /// which others may write in small letters, and texts have no order that all servers share; nor do all see that a
    /// letter and its accent may be one character or two.
    fileprivate var onServer: RecordFilter.Condition? {
        guard field.kind != .price, field != .currency else { return nil }
        switch (value, comparison) {
        case (.text(let text), .equal) where field == .barcode:
            return (try? Barcode(text)).map { .barcode($0) }
        case (.text(let text), .equal)
        where !text.isEmpty && (field.kind == .code || text.utf8.allSatisfy { $0 < 0x80 }):
            return RecordFilter.Condition(field: field, comparison: .equal, value: .text(text))
        case (.grade(let grade), .equal):
            return RecordFilter.Condition(field: field, comparison: .equal, value: .text(grade.rawValue))
        case (.number(let number), _):
            guard let number = Int64(exactly: number) else { return nil }
            return RecordFilter.Condition(field: field, comparison: comparison, value: .number(number))
        case (.text, _), (.grade, _), (.none, _): return nil
        }
    }

    fileprivate func accepts(_ record: Record) -> Bool {
        let found = field.value(of: record)
        return switch comparison {
        // A text without a value and an empty one look alike to whoever asks for it.
        case .equal: found == value || (value == .text("") && found == .none)
        case .atLeast: found.isLike(value) && found >= value
        case .atMost: found.isLike(value) && found <= value
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
        return one.sku < other.sku
    }
}

extension Record {
    /// Whether artist, title, label or catalogue number hold the text, in capitals or not.
    fileprivate func mentions(_ text: String) -> Bool {
        // Foundation finds an empty text nowhere.
        if text.isEmpty { return true }
        return [artist, title, label, catalogueNumber].contains {
            $0?.range(of: text, options: .caseInsensitive) != nil
        }
    }
}
