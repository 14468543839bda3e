import Foundation
import RecordKit

// Handling.
extension Outbox {
    /// The entries whose handlers the current task runs in, by their outbox.
    @TaskLocal private static var handling: [ObjectIdentifier: Int64] = [:]

    /// The number of calls after which a handler that fails isn't called anymore.
    private static var handlerLimit: Int { 5 }
    /// The number of calls if the process ended in each: that may be the fault of something else.
    private static var callLimit: Int { 10 }
    /// The largest result that is stored in the database, in bytes. Others are in a file.
    private static var resultLimit: Int { 1 << 20 }
    private static var resultFile: String { "result" }

    /// The entry whose handler the current task runs in, or `nil`.
    nonisolated var handledEntry: Int64? { Self.handling[ObjectIdentifier(self)] }

    /// Moves an entry from the place of a call to that of a handler. Returns whether there is one.
    func takeHandlerPlace(_ id: Int64) -> Bool {
        if flights[id]?.isHandling == true { return true }
        guard flights.values.count(where: \.isHandling) < max(limits.concurrency, 1) else { return false }
        flights[id]?.isHandling = true
        changed()
        return true
    }

    /// Stores a result. What can't be stored now isn't asked for again. Returns `nil` if the entry is gone.
    ///
    /// - Parameter isHandled: Whether its handler is called now. Otherwise it waits for its place.
    func save(
        _ new: ReceivedResult, of row: EntryRow, _ kind: OutboxKind, in folder: EntryFolder, isHandled: Bool
    ) async throws -> EntryRow? {
        let id = row.id
        received[id] = new
        var bytes: Data? = Sealed.bytes(try Sealed.encode(new.result), .result, of: row.identity)
        if let large = bytes, large.count > Self.resultLimit {
            do {
                try await store.copying { try folder.write(large, as: Self.resultFile) }
                bytes = nil
            } catch {
                bytes = Sealed.bytes(try Sealed.encode(StoredResult(.lost)), .result, of: row.identity)
            }
        }
        let (stored, name) = (bytes, new.isAnswer ? kind.name : nil)
        let saved = try await store.perform {
            try $0.store(stored, of: id, kind: name, calls: isHandled ? 1 : 0)
        }
        received[id] = nil
        return saved
    }

    /// Returns the result for another call of the handler, or `nil` if that was called often enough.
    ///
    /// It is counted before, since a handler may end the process. Storing the result has counted the first time.
    func storedResult(of row: EntryRow, in folder: EntryFolder) async throws -> StoredResult? {
        let (id, note) = (row.id, row.note ?? "The handler has ended the process.")
        let (calls, content) = try await store.perform { file in
            (try file.countCalls(1, of: id, note, limit: Self.callLimit + 1), try file.content(of: id))
        }
        if calls > Self.callLimit { return nil }
        let bytes = content ?? (try? Data(contentsOf: folder.url.appending(path: Self.resultFile)))
        return bytes.flatMap { Sealed.decode($0, .result, of: row.identity) } ?? StoredResult(.lost)
    }

    /// Calls the handler, and removes the entry.
    func handle(_ unhandled: UnhandledEntry) async throws {
        let id = unhandled.entry.id
        do {
            let handling = Self.handling.merging([ObjectIdentifier(self): id]) { $1 }
            try await Self.$handling.withValue(handling) {
                try await unhandled.job.handle(unhandled.entry, unhandled.result, by: client)
            }
        } catch {
            let note = "The handler has failed: \(type(of: error))."
            let calls = try await store.perform { try $0.countCalls(0, of: id, note, limit: Self.handlerLimit) }
            return pacing.wait(id, after: calls, now: clock.now())
        }
        try await finish(id)
    }

    /// Removes an entry that is done.
    func finish(_ id: Int64) async throws {
        handled.insert(id)
        if let folder = try await store.perform({ try $0.remove(id) }) { store.folder(folder).remove() }
        hasRemoved = true
        forget(id)
    }
}
