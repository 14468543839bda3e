/// The names and rules of the ledger, the same on every server.
///
/// A movement has as its version the version of the record that it changed. A list has a version only once, so a second
/// change of the same state conflicts, and neither the record nor the ledger is written. PostgreSQL refuses it with
/// 409, and so does the embedded store.
enum Ledger {
    /// The collection of the movements, beside `records`.
    static let collection = "movements"
    static let lockCollection = "locks"
    /// The record that every batch writes first.
    static let lockID = "stock"

    /// An object in the collection that is no movement. PostgreSQL accepts the latest version of a list a second time,
    /// and changes it. This one is always later than the movements.
    static let anchorID = "ledger"
    /// The year 2200.
    static let anchorVersion: Int64 = 7_258_118_400_000

    /// The format of what a shop stores, in a file and on a server. The lock of a shop has it if each record has its
    /// movements.
    static let format: Int64 = 2
    /// What the lock has while the ledger is being created. A new shop has a lock without it.
    static let incomplete: Int64 = 0
    /// What the lock has while the shop is being restored.
    static let halfRestored: Int64 = -1

    /// Begins the ids of objects that only take a version.
    static let slotPrefix = "slot-"

    /// Returns why what has another format cannot be used, to continue a sentence.
    static func reason(for other: Int64) -> String {
        let isEarlier = other < format
        return "was written by \(isEarlier ? "an earlier" : "a later") version of record-inventory (format \(other), "
            + "this one reads \(format)): "
            + (isEarlier ? "export the stock with that version, and import it" : "install the later version")
    }

    /// Returns the first of the versions for movements that change no existing record. No record has been written then,
    /// before September 2001, so these are in no other movement's way.
    static func freeVersion() -> Int64 { .random(in: 1...999_999_999_999) }
}
