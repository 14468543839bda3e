import Dispatch
public import Foundation
public import RecordKit
public import RecordKitCache
import RecordKitSQLite
import Synchronization

/// Keeps responses in a SQLite file, up to a limit. Removes the least recently used ones above it.
///
/// ```swift
/// let cache = HTTPCache(
///     store: DiskCacheStore(
///         folder: folder.appending(path: "com.example.shop")))
/// ```
///
/// The file contains no credentials beside the bodies: URLs and sensitive request fields are stored as salted hashes,
/// and sensitive response fields, such as `Set-Cookie`, aren't stored. A response isn't stored at all if another field
/// contains a URL with a credential, such as a `Location` with a token. Only the owner of the file may read it.
///
/// Several processes and several stores may share a folder. A damaged file is emptied in place. Each entry has a
/// checksum: a damaged one is removed when it is read, and not used. A store whose file can't be used stores nothing;
/// its removals throw.
///
/// Responses are written in the background, on a queue of the store. A command-line tool calls ``flush()`` before it
/// ends.
public final class DiskCacheStore: CacheStore {
    /// The file of the store.
    public let file: URL
    private let limit: Int
    private let clock: NetworkClock
    private let onFailure: @Sendable (DiskCacheError) -> Void
    /// SQLite blocks its thread, so it never runs on the threads of Swift's tasks.
    private let queue = DispatchQueue(label: "RecordKit.DiskCacheStore", qos: .userInitiated)
    private let state = Mutex(State())

    private struct State: ~Copyable {
        var file: CacheFile?
        var hasReportedOpening = false
    }

    /// Creates a store. Its file is opened, or created, at the first use.
    ///
    /// - Parameters:
    ///   - folder: The folder of the file. It is created if it doesn't exist, for its owner alone. Deleting it while no
    ///     process uses it removes all responses.
    ///   - limit: The limit on the size of all stored responses, in bytes. The file is somewhat larger. A body may use
    ///     an eighth of it. Default: 256 MB.
    ///   - clock: The clock whose dates order the uses of responses.
    ///   - onFailure: Called on the queue of the store if the file can't be opened, once, and each time it was damaged.
    public init(
        folder: URL, limit: Int = 256 << 20, clock: NetworkClock = .continuous,
        onFailure: @escaping @Sendable (DiskCacheError) -> Void = { _ in }
    ) {
        file = folder.appending(path: "responses-\(CacheFile.format).sqlite")
        self.limit = max(limit, 0)
        self.clock = clock
        self.onFailure = onFailure
    }

    /// An eighth of the limit.
    public var bodyLimit: Int { limit / 8 }

    /// Returns the entries of a key, and the removal mark of its URL. Returns nothing if the file can't be read.
    public func lookUp(_ key: CacheKey) async -> CacheLookup {
        (try? await onQueue { try $0.lookUp(key) }) ?? CacheLookup(entries: [], mark: RemovalMark(-1))
    }

    /// Returns the body of an entry, or `nil` if the entry is no longer stored.
    public func body(of entry: CacheEntry) async -> Data? {
        let now = clock.date()
        return try? await onQueue { try $0.body(of: entry, at: now) }
    }

    /// Stores an entry and its body in the background, unless its URL was removed since `mark`, or the body is too
    /// large.
    public func save(_ entry: CacheEntry, _ body: Data, since mark: RemovalMark) {
        if body.count > bodyLimit { return }
        let now = clock.date()
        queue.async { [self] in
            try? perform { try $0.save(entry, body, since: mark, limit: limit, at: now) }
        }
    }

    /// Replaces an entry in the background, and keeps its body.
    public func update(_ entry: CacheEntry) {
        queue.async { [self] in
            try? perform { try $0.update(entry) }
        }
    }

    /// Removes all entries of a URL.
    ///
    /// - Throws: ``DiskCacheError`` if they may still be stored.
    public func remove(_ url: NormalizedURL) async throws {
        let now = clock.date()
        try await removing { try $0.remove(url, at: now) }
    }

    /// Removes all entries.
    ///
    /// - Throws: ``DiskCacheError`` if they may still be stored.
    public func removeAll() async throws {
        try await removing { try $0.removeAll() }
    }

    /// The number and size of the entries.
    public var usage: CacheUsage {
        get async {
            (try? await onQueue { try $0.usage() }) ?? CacheUsage(count: 0, bytes: 0)
        }
    }

    /// Waits until all responses are written.
    public func flush() async {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume() }
        }
    }
}

extension DiskCacheStore {
    private typealias Work<Value> = @Sendable (CacheFile) throws -> Value

    /// Runs `work` on the queue.
    private func onQueue<Value: Sendable>(_ work: @escaping Work<Value>) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try self.perform(work) }) }
        }
    }

    private func removing(_ work: @escaping Work<Void>) async throws {
        do {
            try await onQueue(work)
        } catch {
            throw self.error(.cannotRemove, error)
        }
    }

    /// Runs `work` with the open file. Empties a damaged file, and runs it again.
    private func perform<Value>(_ work: Work<Value>) throws -> Value {
        try state.withLock { state in
            do {
                return try work(try open(&state))
            } catch let error as SQLiteError where Self.isDamage(error) {
                // Closes the connection first.
                state.file = nil
                state.file = try emptied()
                onFailure(self.error(.wasDamaged, error))
                return try work(try open(&state))
            }
        }
    }

    /// Whether the file is to be emptied: it is damaged, or has other tables.
    private static func isDamage(_ error: SQLiteError) -> Bool { error.isDamage || error.isStatementError }

    private func open(_ state: inout State) throws -> CacheFile {
        if let file = state.file { return file }
        do {
            let file = try CacheFile(try connection())
            state.file = file
            state.hasReportedOpening = false
            return file
        } catch {
            let isDamage = (error as? SQLiteError).map(Self.isDamage) ?? false
            if !isDamage, !state.hasReportedOpening {
                state.hasReportedOpening = true
                onFailure(self.error(.cannotOpen, error))
            }
            throw error
        }
    }

    private func emptied() throws -> CacheFile {
        let database = try connection()
        try database.reset()
        return try CacheFile(database)
    }

    /// Opens the file, or creates it with its folder.
    private func connection() throws -> SQLiteDatabase {
        let folder = file.deletingLastPathComponent()
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        // The file of version 0.1 may contain credentials in URLs.
        for end in ["", "-wal", "-shm"] { unlink(folder.appending(path: "responses-1.sqlite\(end)").path) }
        // Other processes write for some milliseconds at a time.
        return try SQLiteDatabase.openPrivate(file.path, patience: 5000)
    }

    private func error(_ kind: DiskCacheError.Kind, _ failure: any Error) -> DiskCacheError {
        let cause = failure as? SQLiteError
        return DiskCacheError(
            kind: kind, file: file, code: cause?.code ?? 0, message: cause?.message ?? failure.localizedDescription)
    }
}
