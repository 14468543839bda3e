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

    /// Returns the records, and whether all could be read.
    private func records(of list: Command.List) async throws -> ([Record], areAll: Bool) {
        // A server takes a name that comes twice as a list of values, which no field equals.
        var names: Set<String> = []
        let conditions = list.conditions.compactMap(\.onServer).filter { names.insert($0.name).inserted }
        let filter = RecordFilter(conditions: conditions)
        let limit = list.limit ?? .max
        var records: [Record] = []
        // Conditions that the server checked are checked again, since servers differ in order and equality.
        var unreadable = try await eachPage(filter) { page in
            records += page.lazy.map(\.record).filter { list.accepts($0) }
            return !list.sort.isEmpty || records.lazy.filter(\.sku.isRecordID).count < limit
        }
        if list.sort.isEmpty, records.count >= limit {
            // Records come in the order of their ids. That is the order of the SKUs, except for escaped ids, so these
            // are all read.
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
    /// The condition for the server, or `nil` if only the tool can check it. Prices compare across currencies, whose
    /// codes other programs may store in small letters. The order of strings, and the equality of a letter with a
    /// combining accent, differ between servers.
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
        // A missing string and an empty one look alike to the user.
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

    /// Compares by the keys, then by SKU. Records without a value come last in both directions.
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
    /// Returns whether artist, title, label or catalog number contain a string, ignoring case.
    fileprivate func mentions(_ text: String) -> Bool {
        // Foundation does not find an empty string.
        if text.isEmpty { return true }
        return [artist, title, label, catalogueNumber].contains {
            $0?.range(of: text, options: .caseInsensitive) != nil
        }
    }
}
