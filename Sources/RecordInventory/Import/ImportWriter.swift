import RecordKitJSON

/// What happens to a row of an import whose SKU is in stock.
enum DuplicatePolicy: String, CaseIterable, Sendable {
    case skip, update, fail
}

/// Writes rows to the stock in batches, and counts the results.
struct ImportWriter: Sendable {
    let stock: Stock
    let policy: DuplicatePolicy
    /// Whether an update sets quantities.
    var setsQuantity = false
    /// Whether a dry run tells what it would do with each row.
    var listsRows = false
    /// The SKUs of each listing in stock, once they have been read.
    var listings: [Int: Set<String>]?

    /// Writes rows and adds the results to `summary`, also those before an error. In a dry run, only compares them.
    func write(_ rows: [ImportRow], _ summary: inout ImportSummary) async throws {
        let all = Dictionary(uniqueKeysWithValues: rows.map { ($0.record.sku, $0) })
        var result = summary
        defer { summary = result }
        try await stock.changeEach(rows.map(\.record.sku), size: 2) { look in
            guard let row = all[look.sku] else { return nil }
            do throws(RowError) {
                return try plan(row, look, &result)
            } catch {
                result.rejected.append(error)
                return nil
            }
        } refused: { sku, error in
            guard let reason = Self.fault(of: error), let row = all[sku] else { throw error }
            result.rejected.append(row.rejected(reason))
        } made: { changes in
            for change in changes {
                guard let row = all[change.sku] else { continue }
                if let before = change.before {
                    update(row, before, to: change.record, &result)
                } else {
                    result.created += 1
                    if row.lacksQuantity { result.withoutQuantity += 1 }
                }
                guard listsRows else { continue }
                let differences = change.before.map { FieldDifference.all(from: $0, to: change.record) }
                result.previews.append(
                    RowPreview(
                        row: row.number, sku: change.sku, result: differences == nil ? .created : .updated,
                        differences: differences ?? []))
            }
        }
        result.previews.sort { $0.row < $1.row }
    }

    /// Returns the change that a row makes. Without one, counts the row.
    private func plan(
        _ row: ImportRow, _ look: RecordLook, _ summary: inout ImportSummary
    ) throws(RowError) -> RecordChange? {
        if let made = look.history.first(where: { $0.command == stock.source.command && $0.kind != .void }) {
            try check(row, made, look)
            summary.unchanged += 1
            return nil
        }
        switch look.found {
        case nil:
            if let damage = row.damage { throw damage }
            return .create(row.record, stock.source.opening(of: row.record, isAdded: true))
        case .success(let stored) where policy == .update:
            let wanted = try updated(stored.record, by: row)
            if wanted != stored.record {
                let correction = stock.source.correction(nil, from: stored.record, to: wanted)
                return .change(stored, to: wanted, [correction])
            }
            summary.unchanged += 1
            keep(stored.record, row, &summary)
        case .failure(let error) where policy == .update: throw row.rejected(error.description)
        case .success, .failure: try leave(look.stored?.record, for: row, &summary)
        }
        if listsRows {
            summary.previews.append(RowPreview(row: row.number, sku: look.sku, result: .unchanged))
        }
        return nil
    }

    /// Throws if the values of a row are not those with which the command has made its record.
    private func check(_ row: ImportRow, _ made: Movement, _ look: RecordLook) throws(RowError) {
        guard let record = look.record(after: made) else { return }
        let isNew = made.kind == .opening
        // The status follows the copies, and these may have been sold since.
        let differences = try FieldDifference.all(from: record, to: row.updating(record, setsQuantity: isNew))
        guard let other = differences.first(where: { $0.field != .status }) else { return }
        throw row.rejected(
            "\(other.field.rawValue): was made under this id with \(other.old?.shown ?? "nothing"); "
                + "give the import another id")
    }

    /// Why a row cannot be imported, or `nil` if the error ends the import.
    private static func fault(of error: InventoryError) -> String? {
        switch error {
        case .refused(let problem) where problem.code < 500: "the server says: \(problem.text)"
        case .notAllowed: "this account may not write this record"
        case .tooManyConflicts: "another program keeps changing this record; import the file again"
        default: nil
        }
    }

    /// Counts a row whose SKU stays unchanged in stock.
    ///
    /// - Parameter existing: The record in stock, or `nil` if it is unknown.
    private func leave(_ existing: Record?, for row: ImportRow, _ summary: inout ImportSummary) throws(RowError) {
        if policy == .fail { throw row.rejected("this SKU is in stock already") }
        summary.unchanged += 1
        if let existing, try existing != updated(existing, by: row) { summary.differing += 1 }
    }

    /// Counts a row that changes a record. Notes copies that come back to a record that was sold out.
    private func update(_ row: ImportRow, _ existing: Record, to record: Record, _ summary: inout ImportSummary) {
        summary.updated += 1
        keep(existing, row, &summary)
        if existing.quantity != record.quantity { summary.corrected += 1 }
        if record.quantity < existing.quantity { summary.lowered.append((record, existing)) }
        guard existing.quantity == 0, record.quantity > 0 else { return }
        summary.returns.append(
            "row \(row.number) (\(row.record.sku.text)): was sold out; the file puts \(record.quantity) back")
    }

    private func updated(_ existing: Record, by row: ImportRow) throws(RowError) -> Record {
        let (own, stocked) = (row.record.price.currency, existing.price.currency)
        if row.source == nil, row.fields.contains(.cost), !row.fields.contains(.price), row.record.cost != nil,
            own != stocked
        {
            throw row.rejected(
                "the cost is in \(own.code), and the price in stock in \(stocked.code); give the price too")
        }
        return try row.updating(existing, setsQuantity: setsQuantity)
    }

    /// Counts the values of the file that differ from the stock, and are not taken: quantities, and texts that a
    /// spreadsheet may have made.
    private func keep(_ existing: Record, _ row: ImportRow, _ summary: inout ImportSummary) {
        summary.keptTexts += row.keptTexts(of: existing).count
        summary.errorValues += row.errorValues.count
        guard !setsQuantity, row.fields.contains(.quantity) else { return }
        if existing.quantity != row.record.quantity { summary.kept += 1 }
    }
}

/// The results of an import.
struct ImportSummary: Sendable {
    var created = 0
    var updated = 0
    var unchanged = 0
    var rejected: [RowError] = []
    /// The number of unchanged rows that differ from the stock.
    var differing = 0
    /// What a dry run would do with the rows of the latest batch.
    var previews: [RowPreview] = []
    /// The number of texts that stay, since a spreadsheet may have made others of them.
    var keptTexts = 0
    /// The number of texts that stay, since the file has a spreadsheet's error in place of them.
    var errorValues = 0
    /// The number of quantities that were set.
    var corrected = 0
    /// The number of quantities in the file that differ from the stock, and were not taken.
    var kept = 0
    /// The records of the latest batch that have fewer copies, each after and before.
    var lowered: [(record: Record, before: Record)] = []
    /// The notes about copies that come back to records that were sold out.
    var returns: [String] = []
    /// The number of new records that got one copy, since the cell of their quantity is blank.
    var withoutQuantity = 0

    /// The number of rows that are in stock now.
    var accepted: Int { created + updated + unchanged }

    var json: JSONValue {
        [
            "created": JSONValue(created),
            "updated": JSONValue(updated),
            "unchanged": JSONValue(unchanged),
            "rejected": .array(
                rejected.sorted { $0.row < $1.row }.map { row in
                    ["row": JSONValue(row.row), "sku": JSONValue(row.sku), "reason": .string(row.reason)]
                }),
            "quantities_set": JSONValue(corrected),
            "quantities_kept": JSONValue(kept),
        ]
    }

    var text: String {
        "\(created) created, \(updated) updated, \(unchanged) unchanged, \(rejected.count) rejected"
            + (corrected == 0 ? "" : "; \(corrected) quantit\(corrected == 1 ? "y" : "ies") set")
    }

    /// The notes beside the counts.
    var notes: [String] {
        var notes = returns
        if withoutQuantity > 0 { notes.append("\(withoutQuantity.counted("row")) without a quantity got 1 copy.") }
        if kept > 0 {
            notes.append(
                "\(kept) quantit\(kept == 1 ? "y differs" : "ies differ") from the stock, which stays as it is: copies "
                    + "may have been sold since the file was written; --set-quantity takes the file's.")
        }
        if keptTexts > 0 {
            notes.append(
                "\(keptTexts) text\(keptTexts == 1 ? " stays" : "s stay") as in stock, since a spreadsheet may have "
                    + "made the one in the file of it, such as 12 of 0012 or 01-Mar of MAR-01; "
                    + "--trust-numbers takes the file's."
            )
        }
        if errorValues > 0 {
            notes.append(
                "\(errorValues) text\(errorValues == 1 ? " stays" : "s stay") as in stock, since the file has a "
                    + "spreadsheet's error there, such as #NAME?.")
        }
        if differing == 0 { return notes }
        let subject = differing == 1 ? "1 SKU is" : "\(differing) SKUs are"
        return notes + [
            "\(subject) in stock with other values, which stay as they are; --on-duplicate update takes the file's."
        ]
    }
}

extension ImportRow {
    /// Why the row cannot be a new record, if it lacks a value, or one of its texts is an error of a spreadsheet.
    var damage: RowError? {
        if let lack { return rejected(lack) }
        guard let field = RecordField.allCases.first(where: errorValues.contains) else { return nil }
        let value = field.text(of: record) ?? ""
        return rejected("\(field.rawValue) \"\(value.shown)\": an error of a spreadsheet; correct the cell")
    }
}
