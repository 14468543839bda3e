import RecordKit

/// The body of an error response of Kinto.
struct KintoProblem: Decodable, Sendable, Hashable {
    let code: Int
    let errno: Int?
    let error: String?
    let message: String?
    /// The kind of object that a 404 is about: `record` or `collection`.
    let missing: String?

    static let forbidden = 121
    /// The server has no connection to its database, so it changed nothing.
    static let busy = 201

    /// The explanation on one line.
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
        // In other errors `details` is an array.
        missing = try? members.nestedContainer(keyedBy: Name.self, forKey: .details)
            .decode(String.self, forKey: .missing)
    }
}

/// The body of a 412, with the existing record.
struct ExistingRecord: Decodable {
    private struct Details: Decodable {
        let existing: StoredRecord?
    }

    private let details: Details?

    var existing: StoredRecord? { details?.existing }
}
