public import Foundation

/// A failure of a ``DiskCacheStore``.
public struct DiskCacheError: Error, Sendable, Equatable {
    /// The kinds of failure.
    @nonexhaustive
    public enum Kind: Sendable, Hashable {
        /// The file or its folder couldn't be opened or created.
        case cannotOpen
        /// The file was damaged. It was emptied, and is used again.
        case wasDamaged
        /// Responses couldn't be removed. They may still be stored.
        case cannotRemove
    }

    /// The kind of failure.
    public let kind: Kind
    /// The file of the store.
    public let file: URL
    /// The result code of SQLite, or 0.
    public let code: Int32
    /// The message of SQLite or of the system.
    public let message: String
}

extension DiskCacheError: CustomStringConvertible, LocalizedError {
    /// What happened, why, and what to do.
    public var description: String {
        switch kind {
        case .cannotOpen:
            "The cache \(file.path) can't be opened: \(message). Check the permissions of its folder; until then, no "
                + "responses are stored."
        case .wasDamaged: "The cache \(file.path) was damaged: \(message). It was emptied, and is used again."
        case .cannotRemove:
            "Responses couldn't be removed from the cache \(file.path): \(message). Try again, or delete the file."
        }
    }

    /// The same as `description`.
    public var errorDescription: String? { description }
}
