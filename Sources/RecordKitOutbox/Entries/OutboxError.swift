public import Foundation
import RecordKitSQLite

/// A failure of an ``Outbox``: something couldn't be added, read or removed.
public struct OutboxError: Error, Sendable, Hashable {
    /// The kinds of failure.
    @nonexhaustive
    public enum Kind: Sendable, Hashable {
        /// Two kinds have the same name or the same type of request.
        case duplicateKind
        /// The type of the request belongs to no kind.
        case unknownKind
        /// The request, its body or an attachment couldn't be encoded, or can't be stored.
        case notEncodable
        /// The key belongs to an entry of another kind, or to the one whose handler is adding it again.
        case keyTaken
        /// A limit in ``OutboxLimits`` is reached.
        case full
        /// The disk is full.
        case noSpace
        /// A later version of the library has written the file. The outbox doesn't change it.
        case newerFormat
        /// The file can't be opened, read or written.
        case unusable
    }

    /// The kind of failure.
    public let kind: Kind
    /// What happened, why, and what to do.
    public let description: String

    init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }

    /// Creates the failure of the file.
    init(_ error: any Error, file: URL) {
        let sqlite = error as? SQLiteError
        let text = sqlite.map { "\($0.message) (result code \($0.code) of SQLite)." } ?? error.localizedDescription
        switch error {
        case let error as OutboxError: self = error
        case _ where sqlite?.isFull == true, CocoaError.fileWriteOutOfSpace:
            self.init(.noSpace, "The outbox \(file.path) can't be written: the disk is full. Free some space.")
        case _ where sqlite?.isBusy == true:
            self.init(
                .unusable, "The outbox \(file.path) can't be used: another process has locked it. Try again later.")
        default:
            self.init(
                .unusable,
                "The outbox \(file.path) can't be used: \(text) Check the permissions of the file and its folder.")
        }
    }
}

extension OutboxError: CustomStringConvertible, LocalizedError {
    /// The same as `description`.
    public var errorDescription: String? { description }
}
