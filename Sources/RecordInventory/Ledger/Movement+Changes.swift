import RecordKitJSON

// The old values of fields, which an undo puts back.
extension Movement {
    /// The value of a field before and after a movement, as in the JSON of a record. The cost has its currency, as the
    /// price.
    struct Change: Hashable, Codable, Sendable {
        let field: String
        var from: JSONValue
        var to: JSONValue = .null
    }

    /// The record that a deletion took away, or `nil` if its old values are missing or cannot be read.
    var deletedRecord: Record? {
        let members = (changes ?? []).map { JSONObject.Member(name: $0.field, value: $0.from) }
        return try? Record(JSONView(.object(JSONObject(members))))
    }

    /// `price 12.00 → 9.99; genre Jazz → nothing`
    var changesText: String? {
        guard let changes, !changes.isEmpty else { return nil }
        return changes.map(\.text).joined(separator: "; ")
    }
}

extension [Movement.Change] {
    /// The fields that differ between two records. Copies are not among them, since the movement counts them, and no
    /// status that only follows the copies.
    init(from old: Record, to new: Record) {
        var followed = old
        followed.quantity = new.quantity
        followed.adaptStatus(after: old.quantity)
        self = RecordField.all.compactMap { field in
            guard let before = field.undoable(old), let after = field.undoable(new) else { return nil }
            if before == after || field == .status && new.status == followed.status { return nil }
            return Movement.Change(field: field.rawValue, from: before, to: after)
        }
    }

    /// All members of a record that is deleted, with its reservations and the members of other programs.
    init(deleting stored: StoredRecord) {
        self = stored.members.map { Movement.Change(field: $0.name, from: $0.value) }
    }
}

extension Movement.Change {
    /// `price 12.00 → 9.99`
    var text: String { "\(field.printable) \(Self.text(from)) → \(Self.text(to))" }

    static func text(_ value: JSONValue) -> String {
        if case .object(let object) = value, let amount = object["amount"]?.integer,
            let currency = object["currency"]?.string.flatMap({ try? Currency($0) })
        {
            return Money(amount: amount, currency: currency).decimalText
        }
        return switch value {
        case .null: "nothing"
        case .string(let text): text.shown
        default: value.text().shown
        }
    }
}

extension RecordField {
    /// The value of a field that an undo puts back, or `nil` if it is none: a part of another one, or the copies.
    func undoable(_ record: Record) -> JSONValue? {
        switch self {
        case .sku, .currency, .quantity: nil
        case .cost: record.cost.map { Money(amount: $0, currency: record.price.currency).json } ?? .null
        default: access.json(record)
        }
    }
}

/// What an undo makes of a record.
struct FieldUndo {
    /// The record afterwards.
    var record: Record
    /// The fields that get their old values.
    var taken: [Movement.Change] = []
    /// Why other fields stay as they are.
    var left: [String] = []

    /// Takes back changes, field by field. A field that was changed since stays.
    ///
    /// - Parameters:
    ///   - old: The record before.
    ///   - start: The record with the copies that it gets.
    init(_ changes: [Movement.Change], of old: Record, onto start: Record) {
        record = start
        // The cost is in the currency of the price.
        let price = RecordField.price.rawValue
        for change in changes.filter({ $0.field == price }) + changes.filter({ $0.field != price }) {
            guard let field = RecordField(rawValue: change.field), let now = field.undoable(old) else {
                left.append("\(change.field.printable) is no field that can be taken back")
                continue
            }
            if now == change.from { continue }
            if now == change.to, put(field, change.from) {
                taken.append(Movement.Change(field: change.field, from: now, to: change.from))
            } else {
                left.append("\(change.field) is \(Movement.Change.text(now)) by now")
            }
        }
        taken.sort { $0.field < $1.field }
        // A cost that was set since is in the currency of its time.
        guard record.price.currency != start.price.currency, record.cost != nil,
            !taken.contains(where: { $0.field == RecordField.cost.rawValue })
        else { return }
        record.price = start.price
        taken.removeAll { $0.field == price }
        left.append("price stays, since the cost is in \(start.price.currency.code)")
    }

    /// Returns whether the record can have the value.
    private mutating func put(_ field: RecordField, _ value: JSONValue) -> Bool {
        var next = record
        do {
            if field == .cost {
                let cost = value == .null ? nil : try Money(json: JSONView(value))
                guard cost == nil || cost?.currency == record.price.currency else { return false }
                next.cost = cost?.amount
            } else {
                let object = JSONObject([JSONObject.Member(name: field.rawValue, value: value)])
                try field.access.read(&next, JSONView(.object(object)), field.rawValue)
            }
        } catch {
            return false
        }
        // A sold record has no copies.
        if field == .status, next.status == .sold, next.quantity > 0 { return false }
        record = next
        return true
    }
}
