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
            let answers = try response.value(as: BatchAnswers.self, using: decoder)
            guard answers.parts.count == parts.count else {
                throw Self.unreadable("\(answers.parts.count) responses to \(parts.count) requests")
            }
            for (part, answer) in zip(parts, answers.parts) where part.role == .record && answer.isUnreadable {
                throw Self.unreadable("a response without its record")
            }
            return BatchOutcome(changes, parts, answers, response.url)
        }
    }

    static func unreadable(_ text: String) -> DecodingError {
        .dataCorrupted(DecodingError.Context(codingPath: [], debugDescription: text))
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
            return (try? response.value(as: KintoProblem.self))?.errno != KintoProblem.busy
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
struct BatchAnswers: NetworkValue {
    let isLocked: Bool
    let parts: [Answer]

    /// Reads the JSON without `decoder`, in a third of the time. That matters for an import of many records.
    static func read(_ response: NetworkResponse, using decoder: any NetworkDecoder) throws -> BatchAnswers {
        let json = try JSONReader.read(Array(response.body))
        guard let responses = json.object?["responses"]?.array, let status = responses.first?.object?["status"]?.integer
        else { throw BatchService.unreadable("no responses") }
        return BatchAnswers(
            // 409: another program created the lock at the same moment.
            isLocked: 200..<300 ~= status || status == 409,
            parts: try responses.dropFirst().map { try Answer($0.object ?? JSONObject(), using: decoder) })
    }

    struct Answer {
        let status: Int
        let headers: HTTPHeaders
        /// The version of the object that was written.
        let version: Version?
        /// Whether a write returned neither a version nor a tombstone.
        let isUnreadable: Bool
        let existing: StoredRecord?
        let problem: KintoProblem?

        init(_ json: JSONObject, using decoder: any NetworkDecoder) throws {
            guard let status = json["status"]?.integer else {
                throw BatchService.unreadable("a response without status")
            }
            self.status = Int(status)
            let body = json["body"]
            if 200..<300 ~= status {
                guard let written = body?.object?["data"]?.object else {
                    throw BatchService.unreadable("a response without data")
                }
                let version = written["last_modified"]?.integer.map { Version($0) }
                // A tombstone has a version too.
                self.version = written["deleted"] == true ? nil : version
                isUnreadable = version == nil
                (headers, existing, problem) = ([:], nil, nil)
            } else {
                let fields = json["headers"]?.object?.members ?? []
                headers = HTTPHeaders(
                    fields.compactMap { field in
                        field.value.string.map { HTTPHeaders.Field(name: field.name, value: $0) }
                    })
                version = nil
                isUnreadable = false
                let data = Data(JSONWriter.bytes(body ?? .null))
                existing = (try? decoder.decode(ExistingRecord.self, from: data))?.existing
                problem = try? decoder.decode(KintoProblem.self, from: data)
            }
        }

        /// The record is the one that was sent, since it was written over a known version.
        func answer(_ url: URL, to change: RecordChange) -> BatchAnswer {
            if 200..<300 ~= status { return .success(version.flatMap { change.result(with: $0) }) }
            let error = InventoryError(
                statusCode: status, problem, retryAfter: headers["Retry-After"], existing: existing)
            return .failure(error ?? .network(.status(NetworkResponse(statusCode: status, headers: headers, url: url))))
        }
    }
}
