import RecordKitJSON

/// What takes back the movements of a command about one SKU.
///
/// The id of each movement follows from the one that it takes back. So a second run finds what a first one has done
/// before it was killed, and does the rest.
struct RecordUndo {
    /// Empty if nothing is to be changed.
    private(set) var changes: [RecordChange] = []
    private(set) var sentences: [String] = []
    /// The fields that stay as they are, and why.
    private(set) var left: [String] = []
    /// Why the record stays as it is.
    private(set) var obstacle: String?
    /// Whether all of it was taken back before.
    private(set) var isEarlier = false

    /// - Parameters:
    ///   - originals: The movements of the command, the earliest first.
    ///   - look: The record, and what took the movements back. Also its deletions and openings.
    init(_ originals: [Movement], _ look: RecordLook, from source: MovementSource) {
        let original = originals[originals.count - 1]
        switch (original.kind, look.found) {
        case (_, .failure(let error)?): obstacle = error.description
        case (.deletion, _), (.opening, _):
            if look.history.contains(where: { $0.undoes == original.id && look.stands($0) }) {
                isEarlier = true
            } else if original.kind == .deletion {
                restore(original, look, source)
            } else {
                remove(original, look, source)
            }
        case (_, nil): obstacle = "it was deleted since"
        case (_, .success) where look.history.wasDeleted(after: original):
            obstacle = "it was deleted since, and its SKU is in use again"
        case (_, .success(let stored)?): takeBack(originals, stored, look, source)
        }
    }

    /// Puts a deleted record back, as it was.
    private mutating func restore(_ original: Movement, _ look: RecordLook, _ source: MovementSource) {
        let members = (original.changes ?? []).map { JSONObject.Member(name: $0.field, value: $0.from) }
        guard look.found == nil else { return obstacle = "its SKU is in use again" }
        guard let record = original.deletedRecord else { return obstacle = "its old values cannot be read" }
        guard record.sku == original.sku, record.quantity == 0 &- original.quantity else {
            return obstacle = "its old values are not those of the movement"
        }
        var opening = source.opening(of: record, isAdded: true)
        opening.undoes = original.id
        changes = [.create(record, opening, members: members)]
        sentences = [
            "Undone: \(original.id). \(record.sku.text) is back, with \(record.quantity.counted("copy", "copies"))."
        ]
    }

    /// Removes a record that was added.
    private mutating func remove(_ original: Movement, _ look: RecordLook, _ source: MovementSource) {
        guard let stored = look.stored else { return obstacle = "it was deleted since" }
        if look.history.wasDeleted(after: original) {
            return obstacle = "it was deleted since, and its SKU is in use again"
        }
        let start = look.history.filter { $0.kind == .deletion && $0.order < original.order }.map(\.order).max() ?? 0
        let isMoved = look.history.contains {
            [.sale, .tradeIn, .reservation].contains($0.kind) && $0.order > start
        }
        if isMoved || original.undoes == nil && !stored.record.reservations.isEmpty {
            return obstacle = "it was sold, bought or reserved since"
        }
        guard stored.record.quantity == original.quantity else { return obstacle = "its copies were changed since" }
        // A record that came back after its deletion has another opening.
        let opening = look.history.first { $0.id == Movement.openingID(of: original.sku.recordID) }
        var movement = source.deletion(nil, of: stored)
        movement.id = original.undoID(after: look.history.count { $0.undoes == original.id })
        // The deletion gives the opening this id.
        movement.undoes =
            original.id == opening?.id ? Movement.id(of: original, renamedAt: stored.version) : original.id
        changes = [.delete(stored, stored.record.sku, stored.version, movement, opening: opening)]
        sentences = ["Undone: \(original.id). \(stored.record.sku.text) is removed."]
    }

    /// Takes back fields, copies and reservations. What an earlier undo has taken back is done.
    private mutating func takeBack(
        _ originals: [Movement], _ stored: StoredRecord, _ look: RecordLook, _ source: MovementSource
    ) {
        var parts = originals.map { original in
            let earlier = look.history.filter { $0.undoes == original.id && $0.kind != .void }
            let part = (standing: earlier.filter(look.stands), movement: source.reverse(original, after: earlier.count))
            return (original: original, standing: part.standing, movement: part.movement)
        }
        for index in parts.indices where !parts[index].standing.isEmpty {
            parts[index].movement.quantity = 0
            parts[index].movement.reservation = nil
        }
        var record: Record
        do throws(StockShortage) {
            let copies = parts.filter { $0.movement.kind.changesStock }.reduce(0) { $0 &+ $1.movement.quantity }
            record = try stored.record.moved(by: copies)
        } catch {
            return obstacle = error.description
        }
        for part in parts { record.reserve(by: part.movement) }
        var old = stored.record
        for index in parts.indices.reversed() {
            let (original, standing, _) = parts[index]
            let done = Set(standing.flatMap { $0.changes ?? [] }.map(\.field))
            let undo = FieldUndo((original.changes ?? []).filter { !done.contains($0.field) }, of: old, onto: record)
            (record, old) = (undo.record, undo.record)
            left += undo.left
            isEarlier = isEarlier || !standing.isEmpty && undo.left.isEmpty
            if original.changes != nil { parts[index].movement.changes = undo.taken }
            if parts[index].movement.quantity == 0 { parts[index].movement.kind = .edit }
        }
        let movements = parts.map(\.movement).filter { $0.quantity != 0 || $0.changes?.isEmpty == false }
        if movements.isEmpty { return }
        isEarlier = false
        changes = [.change(stored, to: record, movements)]
        sentences = movements.map { $0.undoSentence(about: record) }
    }
}

extension RecordLook {
    /// Returns whether a movement was not taken back.
    func stands(_ movement: Movement) -> Bool {
        !history.contains { $0.undoes == movement.id && $0.kind != .void && stands($0) }
    }
}

extension [Movement] {
    /// Whether a record was deleted after a movement, and the deletion was not taken back.
    func wasDeleted(after movement: Movement) -> Bool {
        var order = movement.order
        let own = filter { $0.sku == movement.sku }
        while let end = own.filter({ $0.kind == .deletion && $0.order >= order }).min(by: { $0.order < $1.order }) {
            // The record that came back is as it was, until it is deleted itself.
            let back = own.filter { $0.kind == .opening && $0.undoes == end.id }.map(\.order).max() ?? 0
            if back <= end.order { return true }
            order = back
        }
        return false
    }

    /// Whether these movements about a SKU gave money back for a record that was deleted, so that they changed none.
    var isRefund: Bool { map(\.kind) == [.return, .writeOff] && reduce(0) { $0 + $1.quantity } == 0 }
}

extension Movement {
    /// What a movement that takes back another has done.
    func undoSentence(about record: Record) -> String {
        if record.sku == .none { return "Undone: \(undoes ?? ""), \(Record(soldBy: self).title.printable)." }
        switch kind {
        case .release: return "Released \(-quantity) of \(sku.text)."
        case .reservation: return "Reserved \(quantity) of \(sku.text) for \(reservation?.name.printable ?? "") again."
        default:
            let fields = changes ?? []
            let text = fields.isEmpty ? "" : " \(sku.text): \(fields.map(\.text).joined(separator: "; "))."
            return "Undone: \(undoes ?? "")." + text
                + (quantity == 0 ? "" : " \(sku.text) has \(record.quantity) in stock.")
        }
    }
}

extension MovementSource {
    /// Creates the movement that takes another one back.
    ///
    /// - Parameter earlier: How many movements took it back before.
    func reverse(_ original: Movement, after earlier: Int = 0) -> Movement {
        let kind: Movement.Kind =
            switch original.kind {
            case .sale: .return
            case .return: .sale
            case .reservation: .release
            case .release: .reservation
            default: original.kind
            }
        var movement = movement(1, of: original.sku, kind, 0 &- original.quantity)
        movement.id = original.undoID(after: earlier)
        movement.price = original.price
        movement.discount = original.discount
        movement.payment = original.payment
        movement.payments = original.payments?.map { Movement.Payment(kind: $0.kind, amount: 0 &- $0.amount) }
        movement.rounding = original.rounding.map { 0 &- $0 }
        movement.cost = original.cost
        movement.item = original.item
        movement.reservation = original.reservation
        movement.undoes = original.id
        return movement
    }
}
