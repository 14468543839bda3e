/// A new value for a field, checked as far as possible for one field alone. `nil` removes the value.
struct FieldChange: Equatable, Sendable {
    let field: RecordField
    let text: String?
}

extension ArgumentScanner {
    /// Parses the options that are fields of a record, except those in `left`.
    func fields(except left: Set<RecordField> = []) throws(UsageError) -> [FieldChange] {
        var draft = RecordDraft()
        var changes: [FieldChange] = []
        for field in RecordField.allCases where !left.contains(field) {
            guard let text = value(field.optionName) else { continue }
            do { try draft.set(field, to: text) } catch { throw UsageError("\(error)") }
            if field.kind == .price { try text.parsed(as: field.rawValue, Money.checkIsNoBarcode) }
            changes.append(FieldChange(field: field, text: text))
        }
        // The amount must suit the currency. If both are given, a mismatch is reported at once.
        if let price = draft.price, let currency = draft.currency {
            _ = try price.parsed(as: "price") { text throws(InvalidValue) in try Money(typed: text, in: currency) }
        }
        if draft.status == .sold, let quantity = draft.quantity, quantity > 0 {
            throw UsageError(
                "--status sold and --quantity \(quantity) contradict each other, as what is sold has no copies; leave "
                    + "out --quantity if they are sold, --status if they are not")
        }
        return changes
    }
}

extension RecordDraft {
    mutating func apply(_ changes: [FieldChange]) throws {
        for change in changes {
            do { try set(change.field, to: change.text) } catch { throw UsageError("\(error)") }
        }
    }

    /// Returns the complete record.
    ///
    /// - Parameter changes: What was typed. Other amounts may be larger than those that are typed.
    func checked(_ changes: [FieldChange]) throws -> Record {
        let record: Record
        do { record = try self.record() } catch { throw UsageError("\(error)") }
        for change in changes {
            let amount = change.field == .price ? record.price.amount : change.field == .cost ? record.cost : nil
            guard let amount, let text = change.text else { continue }
            _ = try text.parsed(as: change.field.rawValue) { _ throws(InvalidValue) in
                try Money(amount: amount, currency: record.price.currency).checkTyped()
            }
        }
        return record
    }
}
