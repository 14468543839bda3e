extension CommandRunner {
    func add(_ changes: [Command.FieldChange]) async throws {
        var draft = RecordDraft()
        try draft.apply(changes, for: .add)
        let isNamed = draft.sku != nil
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<Self.draws {
            if !isNamed { draft.sku = .random(using: &generator) }
            let record = try draft.checked(for: .add)
            if isDryRun {
                guard try await stock.find(record.sku) == nil else { throw Self.exists(record.sku) }
                return try reportDryRun("added: \(record.sku.text), \(record.artist): \(record.title)", record)
            }
            do {
                let stored = try await stock.create(record)
                let added = stored.record
                return try report("Added \(added.sku.text).") {
                    if printsJSON { try printRecord(added) } else { try console.print(added.sku.text.escapedForTabs) }
                }
            } catch InventoryError.conflict where isNamed {
                throw Self.exists(record.sku)
            } catch InventoryError.conflict {
                continue
            }
        }
        throw CommandFailure(
            .conflict,
            "the server reports each of \(Self.draws) new SKUs as existing; give one of your own with --sku")
    }

    private static func exists(_ sku: SKU) -> CommandFailure {
        CommandFailure(.conflict, "\(sku.text) exists already; change it with `edit`")
    }

    /// Reports what a command would do.
    private func reportDryRun(_ change: String, _ record: Record) throws {
        if printsJSON || !console.results.isTerminal { try printRecord(record) }
        console.note("Nothing was written. It would be \(change).")
    }

    /// Returns the record with a SKU, or all with a scanned barcode. Throws if there is none.
    func records(for code: SKU) async throws -> [StoredRecord] {
        try await found(code) {
            do {
                return [try await stock.fetch(code)]
            } catch InventoryError.notFound {
                return try await scanned(code)
            }
        }
    }

    private func scanned(_ code: SKU) async throws -> [StoredRecord] {
        let missing = CommandFailure(.notFound, "there is no record \(code.text)")
        let barcode: Barcode
        do throws(InvalidValue) {
            barcode = try Barcode(code.text)
        } catch {
            // Only a string of digits can have been scanned.
            let isScanned = code.text.utf8.allSatisfy(\.isDigit) && code.text.utf8.count >= 8
            throw isScanned
                ? CommandFailure(.notFound, "\(missing.message), and as a barcode it is wrong: \(error.reason)")
                : missing
        }
        var copies: [StoredRecord] = []
        _ = try await eachPage(RecordFilter(conditions: [.barcode(barcode)])) { page in
            copies += page
            return true
        }
        guard !copies.isEmpty else {
            throw CommandFailure(.notFound, "there is no record with the SKU or the barcode \(code.text)")
        }
        return copies
    }

    /// Returns the SKU of a code, also if its record cannot be read.
    private func sku(for code: SKU) async throws -> SKU {
        // Nothing else stands for another SKU.
        guard (try? Barcode(code.text)) != nil else { return code }
        do {
            return try await record(for: code, isSale: false).record.sku
        } catch InventoryError.unreadable {
            return code
        }
    }

    /// The number of attempts to find a free SKU. There are over 10¹¹ SKUs, so a server on which ten are taken is
    /// faulty.
    private static let draws = 10

    func edit(_ code: SKU, _ changes: [Command.FieldChange]) async throws {
        let sku = try await sku(for: code)
        var differences: [FieldDifference] = []
        let record = try await found(sku) {
            try await stock.update(sku) { record in
                let edited = try self.edited(record, changes)
                differences = FieldDifference.all(from: record, to: edited)
                return edited
            }
        }.record
        if isDryRun {
            let fields = differences.map(\.text).joined(separator: "; ")
            return try reportDryRun("changed: \(sku.text): \(fields.isEmpty ? "nothing" : fields)", record)
        }
        try printChange(
            record,
            differences.isEmpty
                ? "Nothing was changed: \(sku.text) is like that already." : "\(sku.text) is changed.")
    }

    private func edited(_ record: Record, _ changes: [Command.FieldChange]) throws -> Record {
        try checkCurrency(of: record, changes)
        var draft = RecordDraft(record)
        try draft.apply(changes, for: .edit)
        return record.taking(Set(changes.map(\.field)), from: try draft.checked(for: .edit))
    }

    /// Throws if a new currency alone would change what the price or the cost is worth.
    private func checkCurrency(of record: Record, _ changes: [Command.FieldChange]) throws {
        guard let code = changes.first(where: { $0.field == .currency })?.text, let currency = try? Currency(code),
            currency != record.price.currency
        else { return }
        for field in [RecordField.price, .cost] where !changes.contains(where: { $0.field == field }) {
            guard let amount = field.text(of: record), field == .cost || record.price.amount != 0 else { continue }
            throw UsageError(
                "--currency \(currency.code) alone would make \(amount) \(currency.code) of \(amount) "
                    + "\(record.price.currency.code); give the new \(field.rawValue) too: \(field.optionName) AMOUNT"
                    + (field == .cost ? " or --clear cost" : " --currency \(currency.code)"), command: .edit)
        }
    }

    func delete(_ code: SKU, confirmed: Bool) async throws -> ExitCode {
        let sku = try await sku(for: code)
        if isDryRun {
            let (record, _) = try await found(sku) { try await stock.deletable(sku) }
            guard let record else {
                console.note("Nothing was written. It would be deleted: \(sku.text), which cannot be read.")
                return .done
            }
            try reportDryRun("deleted: \(sku.text), \(record.artist): \(record.title)", record)
            return .done
        }
        let deleted: Record?
        if confirmed {
            deleted = try await found(sku) { try await stock.delete(sku) }
        } else {
            guard console.canAsk else {
                throw UsageError("delete asks only at a terminal; give --yes", command: .delete)
            }
            let (record, version) = try await found(sku) { try await stock.deletable(sku) }
            let name = record.map { "\(sku.text), \($0.artist): \($0.title)" } ?? "\(sku.text), which cannot be read"
            guard try console.confirm("Delete \(name)?") == true else {
                console.note("Nothing was deleted.")
                return .failed
            }
            do {
                try await found(sku) { try await stock.delete(sku, version, record) }
            } catch InventoryError.conflict {
                throw CommandFailure(
                    .conflict,
                    "\(sku.text) was changed while you were asked, so it was not deleted; look at it with `show "
                        + "\(sku.text)` and try again")
            }
            deleted = record
        }
        try report("Deleted \(sku.text).") {
            if printsJSON, let deleted { try printRecord(deleted) }
        }
        return .done
    }

    /// Shows a record, or all with a barcode.
    func show(_ code: SKU) async throws {
        let records = try await records(for: code).map(\.record)
        if records.count == 1 { try printRecord(records[0]) } else { try printRecords(records) }
    }

    /// Runs `work`, and names the SKU in the error if the record or the shop does not exist.
    func found<Value>(_ sku: SKU, _ work: () async throws -> Value) async throws -> Value {
        do {
            return try await work()
        } catch InventoryError.notFound {
            throw CommandFailure(.notFound, "there is no record \(sku.text)")
        } catch InventoryError.noShop {
            throw CommandFailure(.notFound, "there is no record \(sku.text): \(noShop)")
        }
    }
}

extension RecordDraft {
    mutating func apply(_ changes: [Command.FieldChange], for command: CommandName) throws {
        for change in changes {
            do {
                try set(change.field, to: change.text)
            } catch {
                throw UsageError("\(error)", command: command)
            }
        }
    }

    func checked(for command: CommandName) throws -> Record {
        do {
            return try record()
        } catch {
            throw UsageError("\(error)", command: command)
        }
    }
}
