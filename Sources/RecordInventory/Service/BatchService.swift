import Foundation
import RecordKit

/// Several requests sent as one. Its environment is the server.
enum BatchService: InventoryEndpoint {
    typealias ValueType = [BatchAnswer]

    /// Each is answered on its own, in this order; one that fails does not stop the others.
    case send([BatchRequest])

    var path: RequestPath { "batch" }
    var method: HTTPMethod { .post }

    var body: (any NetworkEncodable)? {
        switch self {
        case .send(let requests): Batch(requests: requests)
        }
    }

    func handleResponse(_ response: NetworkResponse) -> Result<ValueType, InventoryError> {
        accept(response) { response in
            let url = response.url
            return try response.value(as: BatchAnswers.self, using: decoder).responses.map { $0.answer(url) }
        }
    }

    private struct Batch: Encodable, NetworkEncodable {
        let requests: [BatchRequest]
    }
}

/// One request of a batch: a call, as the batch's body has it.
struct BatchRequest: Encodable, Sendable {
    let method: String
    let path: String
    let headers: [String: String]
    let body: Wrapped<Record>

    /// Writes a record: a new one, or over the version that is named.
    static func write(_ record: Record, over version: Version?, in bucket: String) -> BatchRequest {
        let path: RequestPath = "/buckets/\(bucket)/collections/records/records/\(record.sku.recordID)"
        let condition: HTTPHeaders = version.map { .ifUnchanged(since: $0) } ?? .ifNew
        return BatchRequest(
            method: HTTPMethod.put.rawValue, path: path.encoded,
            headers: Dictionary(uniqueKeysWithValues: condition.fields.map { ($0.name, $0.value) }),
            body: Wrapped(data: record))
    }
}

/// What became of one request of a batch.
typealias BatchAnswer = Result<StoredRecord, InventoryError>

private struct BatchAnswers: Decodable {
    let responses: [Answer]

    struct Answer: Decodable {
        let status: Int
        let record: StoredRecord?
        let existing: StoredRecord?
        let problem: KintoProblem?

        private enum Name: String, CodingKey {
            case status, body
        }

        init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: Name.self)
            status = try members.decode(Int.self, forKey: .status)
            if status >= 200, status < 300 {
                record = try members.decode(Wrapped<StoredRecord>.self, forKey: .body).data
                (existing, problem) = (nil, nil)
            } else {
                record = nil
                existing = try? members.decode(ExistingRecord.self, forKey: .body).existing
                problem = try? members.decode(KintoProblem.self, forKey: .body)
            }
        }

        func answer(_ url: URL) -> BatchAnswer {
            if let record { return .success(record) }
            switch status {
            case 412: return .failure(.conflict(existing))
            case 200..<400, 401, 403, 404, 429: break
            default: if let problem { return .failure(.refused(problem)) }
            }
            return .failure(InventoryError(.status(NetworkResponse(statusCode: status, url: url))))
        }
    }
}
