import CSQLite
import Foundation
import RecordKitSQLite

/// Why the file of a store cannot be used, and what to do.
enum EmbeddedStoreError: Error, Equatable, Sendable {
    /// The file is no SQLite database, or belongs to another program. It was not changed.
    case notAStore(file: String)
    /// The file was written by another version of the tool. It was not changed.
    case otherFormat(file: String, version: Int64)
    /// The file or its folder cannot be opened or created.
    case cannotOpen(file: String, reason: String)
    /// The file can be read but not written.
    case readOnly(file: String)
    /// The disk is full. The call changed nothing. Holds whether it was to change something.
    case full(file: String, isChange: Bool = true)
    /// The file is a store, but damaged.
    case damaged(file: String, cause: SQLiteError)
    /// Another process held the file for some time.
    case busy(file: String, patience: Duration)
    /// Any other error of SQLite.
    case failed(SQLiteError)
}

extension EmbeddedStoreError {
    /// - Parameters:
    ///   - isChange: Whether the call was to change something.
    ///   - patience: How long the call waited for another process.
    ///   - freeSpace: Returns how many bytes are free for a file, or `nil` if that is unknown.
    init(
        _ error: SQLiteError, isChange: Bool = true, patience: Duration = .zero,
        freeSpace: (String) -> Int? = Self.freeSpace
    ) {
        let file = error.file
        self =
            switch error.primaryCode {
            // SQLite names the call that failed, not the reason. After a failed `fsync` a change may be on the disk.
            case let code
            where [SQLITE_IOERR, SQLITE_CANTOPEN].contains(code) && !Self.syncErrors.contains(error.code)
                && freeSpace(file) ?? .max < Self.neededSpace:
                .full(file: file, isChange: isChange)
            case SQLITE_NOTADB: .notAStore(file: file)
            case SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_AUTH: .cannotOpen(file: file, reason: error.message)
            case SQLITE_READONLY: .readOnly(file: file)
            case SQLITE_FULL: .full(file: file, isChange: isChange)
            case SQLITE_CORRUPT: .damaged(file: file, cause: error)
            case SQLITE_BUSY, SQLITE_LOCKED: .busy(file: file, patience: patience)
            default: .failed(error)
            }
    }
}

extension EmbeddedStoreError {
    private static let syncErrors = [SQLITE_IOERR | 4 << 8, SQLITE_IOERR | 5 << 8]
    /// What SQLite needs at once: the part of a file that processes share, and some pages.
    private static let neededSpace = 65_536

    private static func freeSpace(for file: String) -> Int? {
        var space = statvfs()
        let folder = URL(filePath: file).deletingLastPathComponent().path(percentEncoded: false)
        guard statvfs(folder, &space) == 0 else { return nil }
        // Without a free number for a file, no file can be created.
        if space.f_files > 0, space.f_favail == 0 { return 0 }
        let (bytes, isHuge) = UInt64(space.f_bavail).multipliedReportingOverflow(by: UInt64(space.f_frsize))
        return isHuge ? .max : Int(clamping: bytes)
    }

    /// Whether the file is certainly unchanged.
    var changedNothing: Bool {
        switch self {
        case .notAStore, .otherFormat, .cannotOpen, .readOnly, .full, .busy: true
        case .damaged, .failed: false
        }
    }
}

extension EmbeddedStoreError: LocalizedError, CustomStringConvertible {
    var description: String {
        switch self {
        case .notAStore(let file):
            "\(file) is not a store of record-inventory: give another file, or move this one away"
        case .otherFormat(let file, let version): "\(file) \(Ledger.reason(for: version))"
        case .cannotOpen(let file, let reason):
            "the store \(file) cannot be opened (\(reason)): check the path and who may read and write it"
        case .readOnly(let file):
            "the store \(file) cannot be written: make the file and its folder writable"
        case .full(let file, let isChange):
            "no space is left for the store \(file): make room and try again"
                + (isChange ? "; this change was not made" : "")
        case .damaged(let file, let cause):
            "the store \(file) is damaged (\(cause.message)): keep a copy of it, with the files beside it, and "
                + "restore a backup or an export; `export` still writes what can be read"
        case .busy(let file, let patience):
            "the store \(file) has been in use by another process"
                + (patience < .seconds(1) ? "" : " for \(patience.components.seconds) s")
                + ": try again, or wait longer with --timeout"
        case .failed(let error):
            "the store failed, \(error): try again; if it stays, `doctor` checks the file"
        }
    }

    var errorDescription: String? { description }
}
