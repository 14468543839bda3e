/// A new value for a field, checked as far as possible for one field alone. `nil` removes the value.
struct FieldChange: Equatable, Sendable {
    let field: RecordField
    let text: String?
}

extension ArgumentScanner {
    /// Parses the options that are fields of a record.
    func fields() throws(UsageError) -> [FieldChange] {
        var draft = RecordDraft()
        var changes: [FieldChange] = []
        for field in RecordField.allCases {
            guard let text = value(field.optionName) else { continue }
            do {
                try draft.set(field, to: text)
                // The amount must suit the currency. If both are given, a mismatch is reported at once.
                if let price = draft.price, let currency = draft.currency { _ = try Money(price, in: currency) }
            } catch let error as FieldError {
                throw UsageError("\(error)")
            } catch let error as InvalidValue {
                throw UsageError("price \"\((draft.price ?? "").shown)\": \(error.reason)")
            } catch {
                throw UsageError("\(error)")
            }
            changes.append(FieldChange(field: field, text: text))
        }
        if draft.status == .sold, let quantity = draft.quantity, quantity > 0 {
            throw UsageError(
                "--status sold and --quantity \(quantity) contradict each other, as what is sold has no copies; leave out "
                    + "--quantity if they are sold, --status if they are not")
        }
        return changes
    }
}

extension RecordDraft {
    /// - Parameter command: The name of the command, for the error.
    mutating func apply(_ changes: [FieldChange], for command: String) throws {
        for change in changes {
            do {
                try set(change.field, to: change.text)
            } catch {
                throw UsageError("\(error)", command: command)
            }
        }
    }

    func checked(for command: String) throws -> Record {
        do {
            return try record()
        } catch {
            throw UsageError("\(error)", command: command)
        }
    }
}
