import Dispatch
import Foundation
import RecordKitSQLite

/// A record store in one SQLite file. Responds to the requests that the tool sends to a Kinto server.
///
/// Several stores, also of several processes, may use one file at once. Writers wait for each other; readers do not
/// wait. What a response below 400 reports is on the disk.
actor EmbeddedStore {
    private let file: URL
    private let patience: Duration
    private let executor = SerialQueueExecutor(label: "record-inventory.store")
    private var service: StoreService?

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// - Parameters:
    ///   - file: The file, opened by the first request. The first request that may write creates it, with its folder.
    ///   - patience: How long to wait for another process that writes.
    init(file: URL, patience: Duration = .seconds(30)) {
        self.file = file
        self.patience = patience
    }

    /// Responds to a request.
    ///
    /// - Throws: ``EmbeddedStoreError`` if the file cannot be used, and `CancellationError` if the task was cancelled.
    ///   Both mean that nothing changed, unless the disk failed during the commit.
    func respond(to request: StoreRequest) async throws -> StoreResponse {
        let request = request.parsed
        return try await Self.retrying(for: patience, isChange: !request.changesNothing) {
            try opened(for: request).respond(to: request)
        }
    }

    /// Runs `body` again while another process holds the file.
    ///
    /// - Throws: ``EmbeddedStoreError`` for an error of SQLite.
    static func retrying<Value>(
        for patience: Duration, isChange: Bool = true, isolation: isolated (any Actor)? = #isolation,
        _ body: () throws -> Value
    ) async throws -> Value {
        let end = ContinuousClock.now + patience
        while true {
            try Task.checkCancellation()
            do {
                return try body()
            } catch let error as SQLiteError {
                try Task.checkCancellation()
                guard error.isBusy, ContinuousClock.now < end else {
                    throw EmbeddedStoreError(error, isChange: isChange, patience: patience)
                }
            }
            // A random interval keeps waiting writers from waking together. Other requests run meanwhile.
            try await Task.sleep(for: .milliseconds(.random(in: 2...25)))
        }
    }

    /// Closes the file. SQLite then removes its log, unless another process has the file open: a plain copy of the file
    /// has everything. The next request opens it again.
    func close() {
        service = nil
    }

    private func opened(for request: StoreRequest) throws -> StoreService {
        if let service { return service }
        // A mistyped name must not create a file. Another process may create the file at any moment.
        if request.changesNothing, !StoreFile.exists(file) {
            return StoreService(table: ObjectTable(try StoreFile.empty()))
        }
        let service = StoreService(table: ObjectTable(try StoreFile.open(file)))
        self.service = service
        return service
    }
}

/// Runs the jobs of an actor on its own queue, so that blocking work holds no thread of the cooperative pool.
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
    /// Creates the URL of a store's file. A `~` at the start of the path is the home folder.
    init(storePath path: String) {
        self.init(filePath: path, directoryHint: .notDirectory)
    }
}
