import RecordKitJSON
import Foundation
import RecordKit

/// Changes, sent in a batch behind the lock of the shop.
struct ChangeBatch: InventoryEndpoint {
    typealias ValueType = BatchOutcome

    private let changes: [RecordChange]
    private let parts: [BatchPart]
    private let batch: Batch

    /// - Parameters:
    ///   - together: Whether all changes are made, or none. Otherwise each has its own outcome, and a failed one does
    ///     not stop the others.
    ///   - removal: The request that removes what the changes sell.
    ///   - lock: The lock, with the tills that wait for the records.
    init(_ changes: [RecordChange], together: Bool, removing removal: BatchRequest? = nil, behind lock: ShopLock) {
        self.changes = changes
        // What a refused version takes back comes first.
        let first = removal.map { [BatchPart(change: 0, role: .removal, request: $0)] } ?? []
        parts =
            together
            ? first + BatchPart.parts(together: changes, in: lock.bucket)
            : BatchPart.parts(of: changes, in: lock.bucket)
        batch = Batch(requests: [lock.request] + parts.map(\.request))
    }

    /// Returns the version that the last movement of a change gets.
    func slot(of change: Int) -> Version? {
        parts.last { $0.change == change && $0.version != nil }?.version
    }

    var path: RequestPath { batch.path }
    var method: HTTPMethod { batch.method }
    var headers: HTTPHeaders { batch.headers }
    var body: (any NetworkEncodable)? { batch.body }

    func handleResponse(_ response: NetworkResponse) -> Result<ValueType, InventoryError> {
        accept(response) { response in
            let results = try BatchResults(response, count: batch.requests.count)
            for (part, response) in zip(parts, results.responses.dropFirst())
            where part.role == .record && response.isSuccess && response.writtenVersion == nil {
                throw JSONFault(problem: nil).within("last_modified")
            }
            return BatchOutcome(changes, parts, results)
        }
    }

    /// Returns `unanswered`, unless Kinto refused the changes or never received them.
    func handleError(_ error: NetworkError) -> Result<ValueType, InventoryError> {
        .failure(error.mayHaveChanged ? .unanswered(error) : InventoryError(error))
    }
}

/// The result of a batch.
struct BatchOutcome: Sendable {
    /// Whether the lock was written first.
    let isLocked: Bool
    var results: [ChangeResult]
    /// The ids of movements and slots that were written although their record was not. Slots come after the refused
    /// part. Movements are written if another program changes records without movements.
    var unclaimed: [String] = []
    /// The positions of changes whose movement is missing, with its status.
    var unentered: [(change: Int, status: Int)] = []
    /// Whether a movement exists although its change was refused. Then its command was made before.
    var isMadeBefore = false

    fileprivate init(_ changes: [RecordChange], _ parts: [BatchPart], _ batch: BatchResults) {
        // 409: another program created the lock at the same moment.
        isLocked = batch.responses[0].isSuccess || batch.responses[0].status == 409
        let responses = batch.responses.dropFirst()
        // A conflict takes back what came before it. What comes after it is made.
        let lastConflict = responses.lastIndex { $0.status == 409 }.map { $0 - 1 } ?? -1
        var results: [ChangeResult] = Array(repeating: .success(nil), count: changes.count)
        for (index, (part, response)) in zip(parts, responses).enumerated() {
            if part.role == .record { results[part.change] = response.result(of: changes[part.change], batch.url) }
            guard index <= lastConflict else { continue }
            // A refused record stays refused. What was written before the conflict was taken back.
            if case .failure(.conflict(_?)) = results[part.change] { continue }
            results[part.change] = .failure(.superseded)
        }
        for (index, (part, response)) in zip(parts, responses).enumerated() {
            // 412: a movement with this id exists, whatever was taken back.
            if case (.movement, .failure) = (part.role, results[part.change]), response.status == 412 {
                isMadeBefore = true
            }
            guard index > lastConflict else { continue }
            switch (part.role, results[part.change]) {
            case (.movement(let id), .failure) where response.isSuccess,
                (.slot(let id), .failure) where response.isSuccess:
                unclaimed.append(id)
            case (.movement, .success) where !response.isSuccess:
                if changes[part.change].kind == .enter {
                    results[part.change] = response.result(of: changes[part.change], batch.url)
                } else {
                    unentered.append((part.change, response.status))
                }
            default: break
            }
        }
        self.results = results
    }
}

/// The result of a change: the record as it is now, or `nil` if it was deleted.
typealias ChangeResult = Result<StoredRecord?, InventoryError>

extension KintoResponse {
    /// The version of what was written, or of its tombstone.
    fileprivate var writtenVersion: Version? { body.last("data").flatMap { Version(in: $0) } }

    /// Returns the result of a change. The record is the one that was sent, since it was written over a known version.
    fileprivate func result(of change: RecordChange, _ url: URL) -> ChangeResult {
        guard isSuccess else { return .failure(failure(url)) }
        if body.last("data")?.last("deleted")?.bool == true { return .success(nil) }
        return .success(writtenVersion.flatMap { change.result(with: $0) })
    }
}
