import Foundation
import RecordKit

/// Batches of changes, sent behind the lock of the shop. The environment is the server.
struct BatchService: InventoryEndpoint {
    typealias ValueType = BatchOutcome

    private let changes: [RecordChange]
    private let parts: [BatchPart]
    private let bucket: String
    private let isLedgerComplete: Bool

    /// - Parameters:
    ///   - together: Whether all changes are made, or none. Otherwise each has its own outcome, and a failed one does
    ///     not stop the others.
    ///   - isLedgerComplete: Whether each record has its movements.
    init(_ changes: [RecordChange], together: Bool, in bucket: String, isLedgerComplete: Bool = true) {
        self.changes = changes
        parts =
            together ? BatchPart.parts(together: changes, in: bucket) : BatchPart.parts(of: changes, in: bucket)
        self.bucket = bucket
        self.isLedgerComplete = isLedgerComplete
    }

    /// Returns the version that the last movement of a change gets.
    func slot(of change: Int) -> Version? {
        parts.last { $0.change == change && $0.version != nil }?.version
    }

    var path: RequestPath { "batch" }
    var method: HTTPMethod { .post }

    /// Asks for responses without the records that were just sent (RFC 7240). Kinto sends them anyway.
    var headers: HTTPHeaders { ["Prefer": "return=minimal"] }

    var body: (any NetworkEncodable)? {
        var writer = JSONWriter()
        writer.raw(#"{"requests":["#)
        writer.write(ShopLock.json(in: bucket, isComplete: isLedgerComplete))
        for part in parts {
            writer.raw(",")
            writer.raw(part.json)
        }
        writer.raw("]}")
        return JSONText(writer.bytes)
    }

    func handleResponse(_ response: NetworkResponse) -> Result<ValueType, InventoryError> {
        accept(response) { response in
            let answers = try BatchAnswers(response, count: parts.count)
            for (part, answer) in zip(parts, answers.parts) where part.role == .record && answer.isUnreadable {
                throw JSONFault(problem: nil).within("last_modified")
            }
            return BatchOutcome(changes, parts, answers, response.url)
        }
    }

    /// Returns `unanswered`, unless Kinto refused the changes or never received them.
    func handleError(_ error: NetworkError) -> Result<ValueType, InventoryError> {
        guard isUnanswered(error) else { return .failure(InventoryError(error)) }
        return .failure(.unanswered(error, changes.count == 1 ? changes[0].sku : nil))
    }

    private func isUnanswered(_ error: NetworkError) -> Bool {
        switch error {
        case .connection, .timedOut, .cancelled, .badResponse, .tooLarge: return error.mayHaveReachedServer
        case .decoding(let failure): return !(failure.cause is UnreadableRecord)
        // Kinto numbers its errors. Without a number the response is a proxy's, which may have passed the changes on.
        // Kinto 26.5.0 responds with 500 if it loses the connection to PostgreSQL after the commit.
        case .status(let response) where response.statusCode >= 500:
            return KintoProblem(response)?.errno != KintoProblem.busy
        case .status, .invalidRequest, .interceptor, .redirectRefused, .file: return false
        }
    }
}

/// The result of a batch.
struct BatchOutcome: Sendable {
    /// Whether the lock was written first.
    let isLocked: Bool
    var answers: [BatchAnswer]
    /// The movements that were written although their record was not. Another program wrote without movements.
    var strays: [String] = []
    /// The positions of changes whose movement is missing, with its status.
    var unentered: [(change: Int, status: Int)] = []

    fileprivate init(_ changes: [RecordChange], _ parts: [BatchPart], _ responses: BatchAnswers, _ url: URL) {
        isLocked = responses.isLocked
        // A conflict takes back what came before it. What comes after it is made.
        let lastConflict = responses.parts.lastIndex { $0.status == 409 }
        var results: [BatchAnswer?] = Array(repeating: nil, count: changes.count)
        for (index, (part, response)) in zip(parts, responses.parts).enumerated() {
            if let lastConflict, index <= lastConflict {
                results[part.change] = .failure(.superseded)
            } else if part.role == .record {
                results[part.change] = response.answer(url, to: changes[part.change])
            }
        }
        answers = results.map { $0 ?? .success(nil) }
        for (index, (part, response)) in zip(parts, responses.parts).enumerated() {
            guard case .movement(let id) = part.role, index > lastConflict ?? -1 else { continue }
            switch (answers[part.change], 200..<300 ~= response.status) {
            case (.failure, true): strays.append(id)
            case (.success, false):
                if case .enter = changes[part.change] {
                    answers[part.change] = response.answer(url, to: changes[part.change])
                } else {
                    unentered.append((part.change, response.status))
                }
            default: break
            }
        }
    }
}

/// The result of a change: the record as it is now, or `nil` if it was deleted.
typealias BatchAnswer = Result<StoredRecord?, InventoryError>

/// The responses in a batch: one to the lock, then one to each request.
struct BatchAnswers {
    let isLocked: Bool
    let parts: [Answer]

    /// - Parameter count: The number of requests behind the lock.
    init(_ response: NetworkResponse, count: Int) throws {
        let answers = try BatchedResponse.all(in: response, count: count + 1)
        // 409: another program created the lock at the same moment.
        isLocked = answers[0].isSuccess || answers[0].status == 409
        parts = try answers.dropFirst().map { try Answer($0) }
    }

    struct Answer {
        private let response: BatchedResponse
        /// The version of the object that was written. A tombstone has none here.
        private let version: Version?
        /// Whether a write returned neither a version nor a tombstone.
        let isUnreadable: Bool

        var status: Int { response.status }

        init(_ response: BatchedResponse) throws {
            self.response = response
            let written: JSONObject? = response.isSuccess ? try JSONObject(json: response.body).value("data") : nil
            let version = written.flatMap { Version(in: $0) }
            self.version = written?["deleted"] == true ? nil : version
            isUnreadable = response.isSuccess && version == nil
        }

        /// The record is the one that was sent, since it was written over a known version.
        func answer(_ url: URL, to change: RecordChange) -> BatchAnswer {
            if response.isSuccess { return .success(version.flatMap { change.result(with: $0) }) }
            let problem = KintoProblem(response.body)
            let error = InventoryError(
                statusCode: status, problem, retryAfter: response.headers["Retry-After"], existing: problem?.existing)
            return .failure(
                error ?? .network(.status(NetworkResponse(statusCode: status, headers: response.headers, url: url))))
        }
    }
}

/// A response in a batch.
struct BatchedResponse {
    let status: Int
    let headers: HTTPHeaders
    let body: JSONValue

    var isSuccess: Bool { 200..<300 ~= status }

    /// Reads the responses of a batch. Throws if there are not as many as requests.
    static func all(in response: NetworkResponse, count: Int) throws -> [BatchedResponse] {
        let all: [JSONObject] = try JSONObject(json: JSONReader.read(Array(response.body))).value("responses")
        guard all.count == count else {
            throw JSONFault.invalid("\(all.count) responses to \(count) requests").within("responses")
        }
        return try all.map { object in
            let fields = (object["headers"]?.object?.members ?? []).compactMap { field in
                field.value.string.map { HTTPHeaders.Field(name: field.name, value: $0) }
            }
            return BatchedResponse(
                status: try object.value("status"), headers: HTTPHeaders(fields), body: object["body"] ?? .null)
        }
    }
}
