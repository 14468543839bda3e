import Foundation
import RecordKit

/// The answers of a batch as they come: that to the lock, then one to each change.
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

    /// A record, or the tombstone of one.
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
