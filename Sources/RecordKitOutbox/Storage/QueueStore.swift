import Dispatch
import Foundation
import RecordKitSQLite
import Synchronization

/// The file of an outbox, with the files beside it. Opens it at the first use, and rescues it if it is damaged.
final class QueueStore: Sendable {
    let url: URL
    private let onDamage: @Sendable (OutboxDamage) -> Void
    /// SQLite blocks its thread, so it never runs on the threads of Swift's tasks.
    private let queue = DispatchQueue(label: "RecordKit.Outbox", qos: .userInitiated)
    private let file = Mutex<QueueFile?>(nil)

    init(_ url: URL, onDamage: @escaping @Sendable (OutboxDamage) -> Void) {
        self.url = url
        self.onDamage = onDamage
    }

    /// Performs work with the open file, on the store's queue.
    func perform<Value: Sendable>(
        _ work: @escaping @Sendable (QueueFile) throws -> Value
    ) async throws(OutboxError) -> Value {
        try await run(on: queue) {
            try self.file.withLock { file in
                do {
                    return try work(try self.open(&file))
                } catch let error as SQLiteError where error.isDamage {
                    file = nil
                    try self.rescue()
                    return try work(try self.open(&file))
                } catch let error as SQLiteError where !error.isBusy {
                    // A connection whose log couldn't be written isn't used again.
                    file = nil
                    throw error
                }
            }
        }
    }

    /// Performs work with files other than the database, which takes long and must not hold up the calls.
    func copying<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws(OutboxError) -> Value {
        try await run(on: .global(qos: .userInitiated), work)
    }

    private func run<Value: Sendable>(
        on queue: DispatchQueue, _ work: @escaping @Sendable () throws -> Value
    ) async throws(OutboxError) -> Value {
        let result: Result<Value, OutboxError> = await withCheckedContinuation { continuation in
            queue.async {
                do {
                    continuation.resume(returning: .success(try work()))
                } catch {
                    continuation.resume(returning: .failure(OutboxError(error, file: self.url)))
                }
            }
        }
        return try result.get()
    }

    private func open(_ opened: inout QueueFile?) throws -> QueueFile {
        if let opened { return opened }
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        let file = try QueueFile(try connection())
        // A damaged index would hide entries, and SQLite doesn't notice that when it reads them.
        try file.database.check()
        excludeFromBackups()
        opened = file
        return file
    }

    private func connection() throws -> SQLiteDatabase {
        // Other processes write for some milliseconds at a time.
        try SQLiteDatabase.openPrivate(url.path, patience: 5000)
    }

    /// Leaves the files out of device backups: a restored file would send its entries again.
    private func excludeFromBackups() {
        #if canImport(Darwin)
        var values = URLResourceValues()
        values.isExcludedFromBackup = true
        try? FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
        for path in [url.path, url.path + "-wal", url.path + "-shm", files.path] {
            var file = URL(filePath: path)
            try? file.setResourceValues(values)
        }
        #endif
    }
}

// The files beside the database.
extension QueueStore {
    /// The folder with the folders of the entries.
    var files: URL { URL(filePath: url.path + ".files", directoryHint: .isDirectory) }

    /// The lock for the right to send.
    var lockPath: String { url.path + ".lock" }

    func folder(_ name: String, limit: Int = .max) -> EntryFolder {
        EntryFolder(files.appending(path: name, directoryHint: .isDirectory), limit: limit)
    }

    /// Removes the folders that belong to no entry, since a process ended before it added one or after it removed one.
    /// Newer ones may belong to an entry that another process is adding.
    func sweep(before date: Date) async throws(OutboxError) {
        let files = files
        try await perform { file in
            let found =
                (try? FileManager.default.contentsOfDirectory(
                    at: files, includingPropertiesForKeys: [.contentModificationDateKey])) ?? []
            let old = found.filter {
                let changed = try? $0.resourceValues(forKeys: [.contentModificationDateKey]).contentModificationDate
                return changed.map { $0 < date } ?? false
            }
            if old.isEmpty { return }
            var orphans = Dictionary(uniqueKeysWithValues: old.map { ($0.lastPathComponent, $0) })
            try file.database.statement("SELECT folder FROM entries").forEachRow { orphans[$0.text(0)] = nil }
            for folder in orphans.values { EntryFolder(folder).remove() }
        }
    }
}

// Damage.
extension QueueStore {
    /// Keeps a copy of the damaged file, and replaces its contents with the rows that can be read.
    ///
    /// Replaces them in place, since other processes may have the file open. None can write meanwhile, so nothing that
    /// is added is lost.
    private func rescue() throws {
        // Two that rescue at once would lose what is added in between.
        let lock = FileLock(url.path + ".rescue")
        _ = try lock.take(waits: true)
        defer { lock.release() }
        let damaged = try connection()
        do {
            // Another process may have rescued it by now.
            return try QueueFile(damaged).database.check()
        } catch let error as SQLiteError where error.isDamage {}
        let copy = freeURL()
        var rows: (kept: Int, lost: Int?) = (0, nil)
        do {
            try damaged.execute(QueueRescue.tolerance)
            let rescued = try SQLiteDatabase(file: "")
            try QueueFile.createTables(in: rescued)
            let work = url.path + ".rescue-copy"
            defer { for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: work + end) } }
            try? FileManager.default.removeItem(atPath: work)
            try rescued.replace(damaged) {
                try damaged.copyFile(to: copy.path)
                try damaged.copyFile(to: work)
                rows = try QueueRescue(from: work, to: rescued).copyRows()
            }
        } catch let error as SQLiteError where error.isDamage {
            // Not even the first page can be read, so there are no tables to read.
            rows = (0, nil)
            try? FileManager.default.removeItem(at: copy)
            try damaged.copyFile(to: copy.path)
            try damaged.reset()
        }
        onDamage(OutboxDamage(copy: copy, kept: rows.kept, lost: rows.lost))
    }

    /// Returns the URL of a copy that doesn't exist yet.
    private func freeURL() -> URL {
        var number = 1
        while FileManager.default.fileExists(atPath: "\(url.path).damaged-\(number)") { number += 1 }
        return URL(filePath: "\(url.path).damaged-\(number)")
    }
}
