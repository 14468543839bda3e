import Foundation
import RecordKit

/// Batches of changes, sent behind the lock of the shop. The environment is the server.
enum BatchService: InventoryEndpoint {
    typealias ValueType = BatchOutcome

    /// Sends changes. Each has its own response, in the same order, and a failed one does not stop the others. A
    /// conflict of the whole batch means that nothing changed.
    case send([RecordChange], in: String)

    var path: RequestPath { "batch" }
    var method: HTTPMethod { .post }

    var body: (any NetworkEncodable)? {
        switch self {
        case .send(let changes, let bucket):
            ["requests": .array([ShopLock.json(in: bucket)] + changes.map { $0.json(in: bucket) })] as JSONValue
        }
    }

    private var changes: [RecordChange] {
        switch self {
        case .send(let changes, _): changes
        }
    }

    func handleResponse(_ response: NetworkResponse) -> Result<ValueType, InventoryError> {
        accept(response) { response in
            let answers = try response.value(as: BatchAnswers.self, using: decoder)
            guard answers.changes.count == changes.count else {
                let text = "\(answers.changes.count) responses to \(changes.count) changes"
                throw DecodingError.dataCorrupted(DecodingError.Context(codingPath: [], debugDescription: text))
            }
            return BatchOutcome(isLocked: answers.isLocked, answers: answers.changes.map { $0.answer(response.url) })
        }
    }

    /// Returns `unanswered`, unless Kinto refused the changes or never received them.
    func handleError(_ error: NetworkError) -> Result<ValueType, InventoryError> {
        guard isUnanswered(error) else { return .failure(InventoryError(error)) }
        return .failure(.unanswered(error, changes.count == 1 ? changes[0].sku : nil))
    }

    private func isUnanswered(_ error: NetworkError) -> Bool {
        switch error {
        case .connection, .timedOut, .cancelled, .badResponse, .tooLarge: error.mayHaveReachedServer
        case .decoding(let failure): !(failure.cause is UnreadableRecord)
        // Kinto numbers its errors. Without a number the response is a proxy's, which may have passed the changes on.
        case .status(let response) where response.statusCode >= 500:
            (try? response.value(as: KintoProblem.self))?.errno == nil
        case .status, .invalidRequest, .interceptor, .redirectRefused, .file: false
        }
    }
}

/// The result of a batch.
struct BatchOutcome: Sendable {
    /// Whether the lock was written first.
    let isLocked: Bool
    let answers: [BatchAnswer]
}

/// The result of a change: the record as it is now, or `nil` if it was deleted.
typealias BatchAnswer = Result<StoredRecord?, InventoryError>

/// The responses in a batch: one to the lock, then one to each change.
struct BatchAnswers: Decodable {
    let isLocked: Bool
    let changes: [Answer]

    private enum Name: String, CodingKey {
        case responses, status, headers, body
    }

    init(from decoder: any Decoder) throws {
        var responses = try decoder.container(keyedBy: Name.self).nestedUnkeyedContainer(forKey: .responses)
        let lock = try responses.nestedContainer(keyedBy: Name.self)
        isLocked = 200..<300 ~= (try lock.decode(Int.self, forKey: .status))
        var changes: [Answer] = []
        while !responses.isAtEnd { changes.append(try responses.decode(Answer.self)) }
        self.changes = changes
    }

    struct Answer: Decodable {
        let status: Int
        let headers: HTTPHeaders
        let record: StoredRecord?
        let existing: StoredRecord?
        let problem: KintoProblem?

        init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: Name.self)
            status = try members.decode(Int.self, forKey: .status)
            if 200..<300 ~= status {
                record = try members.decode(Wrapped<Written>.self, forKey: .body).data.record
                (headers, existing, problem) = ([:], nil, nil)
            } else {
                let headers = (try? members.decode([String: String].self, forKey: .headers)) ?? [:]
                self.headers = HTTPHeaders(headers.map { HTTPHeaders.Field(name: $0, value: $1) })
                record = nil
                existing = (try? members.decode(ExistingRecord.self, forKey: .body))?.existing
                problem = try? members.decode(KintoProblem.self, forKey: .body)
            }
        }

        func answer(_ url: URL) -> BatchAnswer {
            if 200..<300 ~= status { return .success(record) }
            let error = InventoryError(
                statusCode: status, problem, retryAfter: headers["Retry-After"], existing: existing)
            return .failure(error ?? .network(.status(NetworkResponse(statusCode: status, headers: headers, url: url))))
        }
    }

    /// A record, or its tombstone.
    private struct Written: Decodable {
        let record: StoredRecord?

        private enum Name: String, CodingKey {
            case deleted
        }

        init(from decoder: any Decoder) throws {
            let isDeleted = try decoder.container(keyedBy: Name.self).decodeIfPresent(Bool.self, forKey: .deleted)
            record = isDeleted == true ? nil : try StoredRecord(from: decoder)
        }
    }
}
