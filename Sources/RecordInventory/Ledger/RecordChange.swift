import RecordKitJSON
import RecordKit

/// A change of one record, with its movements.
///
/// The last request of a change writes a movement whose version is the one of the record before. If another change of
/// the same state was faster, that version is taken. The server then refuses the request with 409, and takes back all
/// requests of the batch before it.
struct RecordChange: Sendable {
    enum Kind: Sendable {
        case create, change, delete, enter
    }

    let kind: Kind
    let sku: SKU
    /// The record before, if the change knows it.
    private(set) var stored: StoredRecord?
    /// The record afterwards. `nil` if there is none.
    private(set) var record: Record?
    /// The version of the record before the change, or `nil` if there is none. Its last movement gets it.
    private(set) var before: Version?
    /// The movements in the order of their numbers, at least one.
    let movements: [Movement]
    private(set) var members: [JSONObject.Member] = []
    private(set) var opening: Movement?

    /// Creates a record with its first movement, also one without copies. Both are written or neither: the server
    /// refuses both if either exists. Fails with a conflict if the SKU exists.
    ///
    /// - Parameter members: All members of a record that was deleted, in the place of the record's own.
    static func create(_ record: Record, _ movement: Movement, members: [JSONObject.Member] = []) -> RecordChange {
        RecordChange(kind: .create, sku: record.sku, record: record, movements: [movement], members: members)
    }

    /// Changes the fields that differ, and keeps those of other programs. Fails with a conflict if the record has
    /// another version, and with `notFound` if it was deleted. So does `delete`.
    static func change(_ stored: StoredRecord, to record: Record, _ movements: [Movement]) -> RecordChange {
        RecordChange(
            kind: .change, sku: record.sku, stored: stored, record: record, before: stored.version, movements: movements
        )
    }

    /// Deletes a record, which is `nil` if it cannot be read. Its first movement gets another id, since the next record
    /// with the SKU has one too.
    static func delete(
        _ stored: StoredRecord?, _ sku: SKU, _ version: Version, _ movement: Movement, opening: Movement?
    ) -> RecordChange {
        RecordChange(
            kind: .delete, sku: sku, stored: stored, before: version, movements: [movement], opening: opening)
    }

    /// Writes a movement alone, as one without a record. With a version, fails with a conflict if another movement has
    /// it.
    static func enter(_ movement: Movement, at version: Version? = nil) -> RecordChange {
        RecordChange(kind: .enter, sku: movement.sku, before: version, movements: [movement])
    }

    /// Whether the change could undo one made at the same moment. A server creates an id only once.
    var needsLock: Bool { kind == .change || kind == .delete }

    /// The movement by which to ask whether the change was made.
    var proof: Movement { movements[0] }

    /// The movement that is entered in place of the change if its request was lost: it takes the version of the record
    /// before, and changes nothing.
    var void: Movement {
        // A command may be lost more than once, each time with another version of the record. The id of an opening is
        // the same for each attempt to add the record.
        let attempt = before.map { "-\($0.milliseconds)" } ?? ""
        var movement = proof
        movement.id = "\(proof.id)-void\(attempt)"
        if kind == .create { movement.id = "\(proof.command ?? "")-\(movement.id)" }
        (movement.kind, movement.quantity) = (.void, 0)
        (movement.price, movement.discount, movement.cost) = (nil, nil, nil)
        (movement.payment, movement.payments, movement.rounding) = (nil, nil, nil)
        (movement.changes, movement.undoes) = (nil, nil)
        movement.reason = "\(proof.kind.title) \(proof.id) was not made: its request was lost"
        return movement
    }

    /// The record after the change, with the version of the one before. `nil` if there is none.
    var result: StoredRecord? { before.flatMap(result(with:)) }

    /// Returns the record after the change, or `nil` if there is none.
    func result(with version: Version) -> StoredRecord? {
        guard let record else { return nil }
        var result = stored ?? StoredRecord(record: record, version: version)
        (result.record, result.version) = (record, version)
        return result
    }

    /// About the number of bytes in a batch.
    var textSize: Int {
        var size = 1_500
        if kind == .create, let record {
            for text in [record.artist, record.title, record.label, record.notes, record.location, record.genre] {
                size += text?.utf8.count ?? 0
            }
        }
        for change in movements.flatMap({ $0.changes ?? [] }) {
            // A change writes a new value twice: into the record, too.
            size += (change.from.string?.utf8.count ?? 40) + 2 * (change.to.string?.utf8.count ?? 20)
        }
        return size
    }

    /// The number of requests in a batch alone.
    var size: Int { (kind == .enter ? 0 : 1) + (opening == nil ? 0 : 1) + written.count }

    /// The request that changes the record. `nil` if there is none.
    fileprivate func request(in bucket: String) -> BatchRequest? {
        let path = ShopPath.record(sku, in: bucket)
        if let before, let stored, let record {
            var changes = stored.changes(to: record)
            // The version changes with each movement.
            if changes.object?.members.isEmpty == true { changes = ["quantity": JSONValue(record.quantity)] }
            return BatchRequest(.patch, path, .ifUnchanged(since: before), body: .wrapped(changes))
        }
        if let record {
            let own = record.json.object ?? JSONObject()
            let whole = members.isEmpty ? own : own.merging(JSONObject(members))
            return BatchRequest(.put, path, .ifNew, body: .wrapped(.object(whole)))
        }
        guard kind == .delete, let before else { return nil }
        return BatchRequest(.delete, path, .ifUnchanged(since: before))
    }

    /// The movements to write, the proof last.
    fileprivate var written: [Movement] {
        guard var opening, let before else { return movements.reversed() }
        opening.id = Movement.id(of: opening, renamedAt: before)
        return [opening] + movements
    }
}

/// A movement as it is stored, with the version that it takes.
private struct StoredMovement: Encodable {
    let movement: Movement
    let version: Int64

    private enum CodingKeys: String, CodingKey {
        case version = "last_modified"
    }

    func encode(to encoder: any Encoder) throws {
        try movement.encode(to: encoder)
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(version, forKey: .version)
    }
}

extension [RecordChange] {
    /// Returns the changes with those that enter movements, which change no record.
    ///
    /// A return has the version of the state of its sale, so that two tills give the money back once. If there are only
    /// movements, the first one has a version in any case: by taking it, a request that was lost is prevented.
    ///
    /// - Parameters:
    ///   - movements: Those of what has no record.
    ///   - look: What came back before.
    func entering(_ movements: [Movement], after look: StockSnapshot) -> [RecordChange] {
        self
            + movements.enumerated().map { index, movement in
                if movement.kind == .return, let sale = movement.undoes {
                    return .enter(movement, at: look.version(of: sale))
                }
                return .enter(movement, at: isEmpty && index == 0 ? Version(Ledger.freeVersion()) : nil)
            }
    }
}

/// A request of a batch.
struct BatchPart: Sendable {
    enum Role: Sendable, Equatable {
        case record
        case movement(String)
        /// Takes the version of a record, so that no other change of the same state succeeds.
        case slot(String)
        case removal
    }

    /// The position of the change.
    let change: Int
    let role: Role
    let request: BatchRequest
    /// The version that a movement gets.
    var version: Version?

    /// Returns the requests of independent changes.
    static func parts(of changes: [RecordChange], in bucket: String) -> [BatchPart] {
        var free = Ledger.freeVersion()
        return changes.enumerated().flatMap { index, change in
            records(change, index, bucket) + movements(change, index, bucket, takesVersion: true, &free)
        }
    }

    /// Returns the requests of changes of which all are made, or none: what a refused version takes back comes first.
    static func parts(together changes: [RecordChange], in bucket: String) -> [BatchPart] {
        var parts = changes.enumerated().flatMap { records($1, $0, bucket) }
        var free = Ledger.freeVersion()
        for (index, change) in changes.enumerated().reversed() {
            parts += movements(change, index, bucket, takesVersion: index == 0, &free)
        }
        for (index, change) in changes.enumerated().dropFirst() {
            guard let version = change.before else { continue }
            let id = Ledger.slotPrefix + MovementSource.newCommand(on: CalendarDay(number: 0))
            let data: JSONValue = ["last_modified": .integer(version.milliseconds)]
            let slot = BatchRequest(.put, ShopPath.movement(id, in: bucket), .ifNew, body: .wrapped(data))
            parts.append(BatchPart(change: index, role: .slot(id), request: slot))
        }
        return parts
    }

    private static func records(_ change: RecordChange, _ index: Int, _ bucket: String) -> [BatchPart] {
        change.request(in: bucket).map { [BatchPart(change: index, role: .record, request: $0)] } ?? []
    }

    /// - Parameter free: The next free version. Versions in a row keep an index small, and are seldom taken.
    private static func movements(
        _ change: RecordChange, _ index: Int, _ bucket: String, takesVersion: Bool, _ free: inout Int64
    ) -> [BatchPart] {
        var parts: [BatchPart] = []
        // Another one takes its place.
        if let opening = change.opening {
            let removal = BatchRequest(.delete, ShopPath.movement(opening.id, in: bucket))
            parts.append(BatchPart(change: index, role: .removal, request: removal))
        }
        let movements = change.written
        for (number, movement) in movements.enumerated() {
            let isLast = takesVersion && number == movements.count - 1
            let version = isLast ? change.before?.milliseconds ?? free : free
            if version == free { free += 1 }
            var movement = movement
            movement.after = change.sku == .none || movement.kind == .opening ? nil : change.before?.milliseconds
            let path = ShopPath.movement(movement.id, in: bucket)
            let request = BatchRequest(
                .put, path, .ifNew, storing: StoredMovement(movement: movement, version: version))
            parts.append(
                BatchPart(change: index, role: .movement(movement.id), request: request, version: Version(version)))
        }
        return parts
    }
}
