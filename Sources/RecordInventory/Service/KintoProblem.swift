import RecordKit

/// What Kinto says of a request that it refused.
struct KintoProblem: Decodable, Sendable, Hashable {
    let code: Int
    let errno: Int?
    let error: String?
    let message: String?
    /// What kind of thing a 404 is about: `record`, `collection`.
    let missing: String?

    static let forbidden = 121

    /// What it says, on one line.
    var text: String {
        [error, message].compactMap { $0 }.filter { !$0.isEmpty }.joined(separator: ": ")
    }
}

extension KintoProblem {
    private enum Name: String, CodingKey {
        case code, errno, error, message, details
        case missing = "resource_name"
    }

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Name.self)
        code = try members.decode(Int.self, forKey: .code)
        errno = try? members.decode(Int.self, forKey: .errno)
        error = try? members.decode(String.self, forKey: .error)
        message = try? members.decode(String.self, forKey: .message)
        // With other errors the details are an array.
        missing = try? members.nestedContainer(keyedBy: Name.self, forKey: .details)
            .decode(String.self, forKey: .missing)
    }
}

/// The record that stands in the way of a conditional request, from the body of a 412.
struct ExistingRecord: Decodable {
    private struct Details: Decodable {
        let existing: StoredRecord?
    }

    private let details: Details?

    var existing: StoredRecord? { details?.existing }
}
