import RecordKitJSON
import RecordKit

/// The record that every batch writes first.
///
/// Kinto 26.5.0 compares `If-Match` and writes in two steps, and other requests come in between. But a batch is one
/// transaction, and PostgreSQL lets no other transaction write a record before the first is committed. So each batch
/// waits for the one before, and compares with its result.
struct ShopLock {
    let bucket: String
    /// The state of the ledger: ``Ledger/format`` if each record has its movements.
    let ledger: Int64
    var waiting: WaitingTills?

    private var data: JSONValue {
        .leavingOutNull(["ledger": .integer(ledger), "waiting": waiting?.json ?? .null])
    }

    /// The request that writes the lock alone.
    var write: Write { Write(path: ShopPath.lock(in: bucket), data: data) }

    /// The request that begins a batch.
    var request: BatchRequest { BatchRequest(.put, ShopPath.lock(in: bucket), body: .wrapped(data)) }
}

/// The lock, or the anchor of the ledger, as it is read to find out whether the account may write there.
struct Access: Sendable {
    /// Whether the object was found. A shop without one may be missing itself.
    var exists = false
    /// Whether the account is known to be allowed to write the object. It is once it has written it.
    var isWritable = false
    /// The state of the ledger, if this is the lock.
    var ledger = Ledger.incomplete
    /// The note of tills that wait, if this is the lock.
    fileprivate var waiting: WaitingTills?

    /// Whether each record has its movements. It has not in a shop whose ledger was being built when its process was
    /// killed.
    var isLedgerComplete: Bool { ledger == Ledger.format }

    /// Returns the tills that wait at a time.
    func waiting(at time: MovementTime) -> WaitingTills? { waiting.flatMap { $0.stands(at: time) ? $0 : nil } }
}

extension Access: KintoReadable {
    init(_ response: KintoResponse) throws {
        let data: JSONView = try response.data()
        exists = true
        // Kinto shows permissions only to accounts that have one.
        isWritable = response.body.value(at: "permissions.write")?.elements?.isEmpty == false
        ledger = data.last("ledger")?.integer ?? Ledger.incomplete
        waiting = try? data.optional("waiting")
    }
}
