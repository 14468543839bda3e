import CSQLite
import Foundation

/// Backups of the file of an embedded store.
enum StoreBackup {
    /// Copies a store to a file, which it replaces when it is complete.
    static func write(_ store: URL, to path: String) async throws {
        let target = URL(filePath: path).resolvingSymlinksInPath()
        let name = ".record-inventory-\(String(UInt64.random(in: .min ... .max), radix: 36)).tmp"
        let folder = target.deletingLastPathComponent()
        guard access(folder.path(percentEncoded: false), W_OK) == 0 else {
            throw FileError(path: path, action: .written, code: errno)
        }
        let temporary = folder.appending(path: name).path(percentEncoded: false)
        defer { unlink(temporary) }
        try await patiently { try copy(try StoreFile.open(store), to: temporary, named: path) }
        guard let file = Descriptor(opening: temporary, O_RDONLY), fsync(file.number) == 0,
            rename(temporary, target.path(percentEncoded: false)) == 0
        else { throw FileError(path: path, action: .written, code: errno) }
    }

    /// Replaces the contents of a store, and creates it if it is missing. Tills that have it open go on with the new
    /// contents.
    ///
    /// - Parameter earlier: The file that gets the contents from before. Nothing is sold between the two.
    static func restore(_ copy: ShopCopy, to store: URL, keeping earlier: String?) async throws {
        try await patiently {
            let target = try StoreFile.open(store)
            let witness = try StoreFile.open(store)
            try copy.database.replace(target) {
                if let earlier { try self.copy(witness, to: earlier, named: earlier) }
            }
        }
    }

    /// Copies a database to a new file. Leaves no part of it.
    ///
    /// - Parameter path: The path in messages. The store is only read, so a failed write is one of the copy.
    private static func copy(_ database: SQLiteDatabase, to file: String, named path: String) throws {
        do {
            try database.vacuum(into: file)
        } catch {
            unlink(file)
            let writeError = SQLITE_IOERR | 3 << 8
            guard [SQLITE_FULL, writeError].contains(error.code) else { throw error }
            throw FileError(path: path, action: .written, code: error.code == SQLITE_FULL ? ENOSPC : EIO)
        }
    }

    /// Runs `body` again while another process holds the file, for half a minute.
    private static func patiently(_ body: () throws -> Void) async throws {
        let end = ContinuousClock.now + .seconds(30)
        while true {
            do {
                return try body()
            } catch let error as SQLiteError {
                try Task.checkCancellation()
                guard error.primaryCode == SQLITE_BUSY, ContinuousClock.now < end else {
                    throw EmbeddedStoreError(error)
                }
            }
            try await Task.sleep(for: .milliseconds(.random(in: 2...25)))
        }
    }
}
