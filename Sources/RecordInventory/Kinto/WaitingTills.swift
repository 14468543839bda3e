/// A note in the lock that tills wait for records, since another was faster.
///
/// A till that has not tried yet reads it, and lets them go first. Otherwise those that have just sold are faster
/// again, and one that waits may wait for long. A note that is not of this moment counts for nothing, so a till whose
/// clock is wrong neither waits nor makes others wait.
struct WaitingTills: StoredValue, Hashable {
    /// The ids of the records.
    let ids: Set<String>
    /// When the note was written, in milliseconds since 1970.
    let at: Int64

    /// How long a note counts, in milliseconds.
    static let lifetime: Int64 = 3_000

    init(for skus: [SKU], at time: MovementTime) {
        ids = Set(skus.map(\.recordID))
        at = time.milliseconds
    }

    /// Returns whether the note was written just now.
    func stands(at time: MovementTime) -> Bool {
        (time.milliseconds &- at).magnitude < UInt64(Self.lifetime)
    }
}
