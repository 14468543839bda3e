import RecordKit

/// A change of one record, with its movements.
///
/// The last request of a change writes a movement whose version is the one of the record before. If another change of
/// the same state was faster, that version is taken. The server then refuses the request with 409, and takes back all
/// requests of the batch before it.
enum RecordChange: Sendable {
    /// Creates a record with its first movement, also one without copies: so the two exist together, or both are missing,
    /// and a server that finds one of them refuses both. Fails with a conflict if the SKU exists.
    case create(Record, Movement)
    /// Changes the fields that differ, and keeps those of other programs. Fails with a conflict if the record has
    /// another version, and with `notFound` if it was deleted. So does `delete`. There is at least one movement.
    case change(StoredRecord, to: Record, [Movement])
    /// Deletes a record. Its first movement gets another id, since the next record with the SKU has one too.
    case delete(SKU, Version, Movement, opening: Movement?)
    /// Writes a movement alone. With a version, fails with a conflict if another movement has it.
    case enter(Movement, at: Version? = nil)

    /// Whether the change could undo one made at the same moment. A server creates an id only once.
    var needsLock: Bool {
        switch self {
        case .create, .enter: false
        case .change, .delete: true
        }
    }

    var sku: SKU {
        switch self {
        case .create(let record, _), .change(_, let record, _): record.sku
        case .delete(let sku, _, _, _): sku
        case .enter(let movement, _): movement.sku
        }
    }

    /// The movement by which to ask whether the change was made.
    var proof: Movement {
        switch self {
        case .create(_, let movement): movement
        case .change(_, _, let movements): movements[0]
        case .delete(_, _, let movement, _), .enter(let movement, _): movement
        }
    }

    /// The version of the record before the change, or `nil` if there is none. Its last movement gets it.
    var before: Version? {
        switch self {
        case .create: nil
        case .enter(_, let version): version
        case .change(let stored, _, _): stored.version
        case .delete(_, let version, _, _): version
        }
    }

    /// Returns the record after the change, or `nil` if there is none.
    func result(with version: Version) -> StoredRecord? {
        switch self {
        case .create(let record, _): return StoredRecord(record: record, version: version)
        case .change(var stored, let record, _):
            stored.record = record
            stored.version = version
            return stored
        case .delete, .enter: return nil
        }
    }

    /// The number of requests in a batch of its own.
    var size: Int { record(in: "").count + movements.count }

    /// Returns the request that changes the record. Empty if there is none.
    fileprivate func record(in bucket: String) -> [JSONValue] {
        let path = ShopPath.record(sku, in: bucket)
        switch self {
        case .create(let record, _):
            return [.batched(.put, path, .ifNew, body: .wrapped(record.json))]
        case .change(let stored, let record, _):
            var changes = stored.changes(to: record)
            // The version changes with each movement.
            if changes.object?.members.isEmpty == true { changes = ["quantity": JSONValue(record.quantity)] }
            return [.batched(.patch, path, .ifUnchanged(since: stored.version), body: .wrapped(changes))]
        case .delete(_, let version, _, _):
            return [.batched(.delete, path, .ifUnchanged(since: version))]
        case .enter:
            return []
        }
    }

    /// The movements to write, the proof last.
    fileprivate var movements: [Movement] {
        switch self {
        case .create(_, let movement): [movement]
        case .change(_, _, let movements): movements.reversed()
        case .delete(_, let version, let movement, let opening):
            (opening.map { [$0.renamed("\($0.id)-\(version.milliseconds)")] } ?? []) + [movement]
        case .enter(let movement, _): [movement]
        }
    }

    /// The id of a movement to remove, since another one takes its place.
    fileprivate var replaced: String? {
        if case .delete(_, _, _, let opening) = self { opening?.id } else { nil }
    }
}

extension Movement {
    fileprivate func renamed(_ id: String) -> Movement {
        var movement = self
        movement.id = id
        return movement
    }
}

/// A request of a batch.
struct BatchPart: Sendable {
    enum Role: Sendable, Equatable {
        case record
        case movement(String)
        /// Takes the version of a record, so that no other change of the same state succeeds.
        case slot
    }

    /// The position of the change.
    let change: Int
    let role: Role
    /// The JSON text, which takes a fifth of the memory of the value.
    let json: [UInt8]
    /// The version that a movement gets.
    let version: Version?

    init(change: Int, role: Role, json: JSONValue, version: Version? = nil) {
        self.change = change
        self.role = role
        self.json = JSONWriter.bytes(json)
        self.version = version
    }

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
            let path = ShopPath.object(id, of: Ledger.collection, in: bucket)
            let data: JSONValue = ["last_modified": .integer(version.milliseconds)]
            parts.append(
                BatchPart(change: index, role: .slot, json: .batched(.put, path, .ifNew, body: .wrapped(data))))
        }
        return parts
    }

    private static func records(_ change: RecordChange, _ index: Int, _ bucket: String) -> [BatchPart] {
        change.record(in: bucket).map { BatchPart(change: index, role: .record, json: $0) }
    }

    /// - Parameter free: The next free version. Versions in a row keep an index small, and are seldom taken.
    private static func movements(
        _ change: RecordChange, _ index: Int, _ bucket: String, takesVersion: Bool, _ free: inout Int64
    ) -> [BatchPart] {
        var parts: [BatchPart] = []
        if let id = change.replaced {
            parts.append(
                BatchPart(
                    change: index, role: .slot,
                    json: .batched(.delete, ShopPath.object(id, of: Ledger.collection, in: bucket))))
        }
        let movements = change.movements
        for (number, movement) in movements.enumerated() {
            let isLast = takesVersion && number == movements.count - 1
            var version = isLast ? change.before?.milliseconds : nil
            if version == nil {
                version = free
                free += 1
            }
            let data = movement.json.adding([JSONObject.Member(name: "last_modified", value: JSONValue(version))])
            parts.append(
                BatchPart(
                    change: index, role: .movement(movement.id),
                    json: .batched(
                        .put, ShopPath.object(movement.id, of: Ledger.collection, in: bucket), .ifNew,
                        body: .wrapped(data)),
                    version: version.map { Version($0) }))
        }
        return parts
    }
}

extension JSONValue {
    /// Returns a request for a batch. Its members are sorted by name, as ``JSONReader`` returns them.
    static func batched(
        _ method: HTTPMethod, _ path: RequestPath, _ headers: HTTPHeaders = [:], body: JSONValue? = nil
    ) -> JSONValue {
        let fields = headers.fields.map { JSONObject.Member(name: $0.name, value: .string($0.value)) }
        let members = [
            JSONObject.Member(name: "headers", value: .object(JSONObject(fields))),
            JSONObject.Member(name: "method", value: .string(method.rawValue)),
            JSONObject.Member(name: "path", value: .string(path.encodedForBatch)),
        ]
        return .object(JSONObject((body.map { [JSONObject.Member(name: "body", value: $0)] } ?? []) + members))
    }
}

extension RequestPath {
    /// Kinto 26.5.0 looks for `/batch` before it decodes a path. It takes such a path for a nested batch, and refuses
    /// everything.
    var encodedForBatch: String {
        let path = encoded
        // Replacing takes long, and every path begins with `/buckets`.
        let rest = path.utf8.dropFirst(2)
        let mayNest = zip(rest, rest.dropFirst()).contains { $0 == UInt8(ascii: "/") && $1 == UInt8(ascii: "b") }
        return mayNest ? path.replacing("/batch", with: "/%62atch") : path
    }
}
