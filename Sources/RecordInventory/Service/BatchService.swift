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
        case .send(let requests): ["requests": .array(requests.map(\.json))] as OrderedJSON
        }
    }

    func handleResponse(_ response: NetworkResponse) -> Result<ValueType, InventoryError> {
        accept(response) { response in
            try response.value(as: BatchAnswers.self, using: decoder).responses.map { $0.answer(response.url) }
        }
    }
}

/// One request of a batch: a call, as the batch's body has it.
struct BatchRequest: Sendable {
    let json: OrderedJSON

    /// Writes a record: a new one, or over the version that is named.
    static func write(_ record: Record, over version: Version?, in bucket: String) -> BatchRequest {
        let path: RequestPath = "/buckets/\(bucket)/collections/records/records/\(record.sku.recordID)"
        let condition: HTTPHeaders = version.map { .ifUnchanged(since: $0) } ?? .ifNew
        let headers = condition.fields.map { OrderedJSON.Member(name: $0.name, value: .string($0.value)) }
        return BatchRequest(json: [
            "method": .string(HTTPMethod.put.rawValue), "path": .string(path.encoded), "headers": .object(headers),
            "body": .wrapped(record.json),
        ])
    }

    /// Kinto takes every path with `/batch` in it for a batch within the batch, and refuses the whole.
    static func canHold(_ record: Record, in bucket: String) -> Bool {
        !bucket.hasPrefix("batch") && !record.sku.recordID.hasPrefix("batch")
    }
}

/// What became of one request of a batch.
typealias BatchAnswer = Result<StoredRecord, InventoryError>

private struct BatchAnswers: Decodable {
    let responses: [Answer]

    struct Answer: Decodable {
        let status: Int
        let headers: HTTPHeaders
        let record: StoredRecord?
        let existing: StoredRecord?
        let problem: KintoProblem?

        private enum Name: String, CodingKey {
            case status, headers, body
        }

        init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: Name.self)
            status = try members.decode(Int.self, forKey: .status)
            if status >= 200, status < 300 {
                record = try members.decode(Wrapped<StoredRecord>.self, forKey: .body).data
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
            if let record { return .success(record) }
            let error = InventoryError(
                statusCode: status, problem, retryAfter: headers["Retry-After"], existing: existing)
            return .failure(error ?? .network(.status(NetworkResponse(statusCode: status, headers: headers, url: url))))
        }
    }
}
