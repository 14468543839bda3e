import RecordKitJSON

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

    /// Begins the ids of objects that only take a version.
    static let slotPrefix = "slot-"

    /// Returns the first of the versions for movements that change no existing record. No record has been written then,
    /// before September 2001, so these are in no other movement's way.
    static func freeVersion() -> Int64 { .random(in: 1...999_999_999_999) }

    /// The fields of the lock. Without `ledger`, records may lack their movements.
    static func lockData(isComplete: Bool, waiting: WaitingTills? = nil) -> JSONObject {
        var members = [JSONObject.Member(name: "ledger", value: isComplete ? 1 : 0)]
        if let waiting { members.append(JSONObject.Member(name: "waiting", value: waiting.json)) }
        return JSONObject(members)
    }
}
