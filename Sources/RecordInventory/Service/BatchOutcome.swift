/// What became of a batch.
struct BatchOutcome: Sendable {
    /// Whether the lock was written first.
    let isLocked: Bool
    let answers: [BatchAnswer]
}

/// What became of one change of a batch: the record as it is now, nil for one that is gone.
typealias BatchAnswer = Result<StoredRecord?, InventoryError>
