import CSQLite
import Dispatch
import Foundation

/// A record store in one SQLite file, which answers the requests that a Kinto server answers.
///
/// Several stores, in one process or in many, may use one file at once: writers wait for each other, readers wait for
/// nobody. What an answer below 400 says is on the disk.
actor EmbeddedStore {
    private let file: URL
    private let patience: Duration
    private let executor = SerialQueueExecutor(label: "record-inventory.store")
    private var service: StoreService?

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// - Parameters:
    ///   - file: opened at the first request; made, with its folder, at the first that may write, when it is missing.
    ///   - patience: how long to wait for another process that is writing.
    init(file: URL, patience: Duration = .seconds(30)) {
        self.file = file
        self.patience = patience
    }

    /// Throws an ``EmbeddedStoreError`` when the file cannot be used, and a `CancellationError` when the task was
    /// cancelled. Either way nothing was changed, unless the disk failed at the very end.
    func answer(_ request: StoreRequest) async throws -> StoreResponse {
        let end = ContinuousClock.now + patience
        while true {
            try Task.checkCancellation()
            do {
                return try opened(for: request).answer(request)
            } catch let error as SQLiteError {
                try Task.checkCancellation()
                guard error.primaryCode == SQLITE_BUSY, ContinuousClock.now < end else {
                    throw EmbeddedStoreError(error)
                }
            }
            // Spread at random, so that waiting writers do not wake together for ever. Other requests run meanwhile.
            try await Task.sleep(for: .milliseconds(.random(in: 2...25)))
        }
    }

    private func opened(for request: StoreRequest) throws -> StoreService {
        if let service { return service }
        // A mistyped name shall leave no file behind, and somebody else may make the file at any moment.
        if request.changesNothing, access(file.path(percentEncoded: false), F_OK) != 0, errno == ENOENT {
            return StoreService(table: ObjectTable(try StoreFile.empty()))
        }
        let service = StoreService(table: ObjectTable(try StoreFile.open(file)))
        self.service = service
        return service
    }
}

/// Runs an actor's jobs on a queue of its own, so that work which blocks never holds a thread of the cooperative pool.
final class SerialQueueExecutor: SerialExecutor {
    private let queue: DispatchQueue

    init(label: String) {
        queue = DispatchQueue(label: label)
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async {
            job.runSynchronously(on: self.asUnownedSerialExecutor())
        }
    }
}

extension URL {
    /// The file of a store as it is opened: a `~` at the start of its path is the home folder.
    init(storePath path: String) {
        self.init(filePath: path, directoryHint: .notDirectory)
    }
}
