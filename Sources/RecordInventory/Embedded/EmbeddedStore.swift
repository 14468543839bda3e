import CSQLite
import Foundation

/// A record store in one SQLite file, which answers the requests that a Kinto server answers.
///
/// Several stores, in one process or in many, may use one file at once: writers wait for each other, readers wait for
/// nobody. What an answer below 400 says is on the disk.
actor EmbeddedStore {
    nonisolated let file: URL

    private let executor = SerialQueueExecutor(label: "record-inventory.store")
    private var service: StoreService?

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// - Parameter file: opened at the first request; made then, with its folder, when it is missing.
    init(file: URL) {
        self.file = file
    }

    /// Throws an ``EmbeddedStoreError`` when the file cannot be used, and a `CancellationError` when the task was
    /// cancelled: before it began or half way, in which case nothing was changed.
    func answer(_ request: StoreRequest) throws -> StoreResponse {
        try Task.checkCancellation()
        do {
            return try opened().answer(request)
        } catch let error as SQLiteError {
            try Task.checkCancellation()
            throw EmbeddedStoreError(error)
        }
    }

    private func opened() throws -> StoreService {
        if let service { return service }
        let service = StoreService(try StoreFile.open(file))
        self.service = service
        return service
    }
}
