import RecordKitJSON
import RecordKit

/// The body of an error response of Kinto.
struct KintoProblem: Sendable, Hashable {
    let code: Int
    let errno: Int?
    /// The explanation on one line.
    let text: String
    /// The kind of object that a 404 is about: `record` or `collection`.
    let missing: String?
    /// The existing record, in a 412.
    let existing: StoredRecord?

    static let forbidden = 121
    /// The server has no connection to its database, so it changed nothing.
    static let busy = 201

    /// Returns `nil` if Kinto did not write the body.
    init?(_ body: JSONView?) {
        guard let body, let code: Int = try? body.value("code") else { return nil }
        self.code = code
        errno = try? body.value("errno")
        text =
            ["error", "message"].compactMap { body.last($0)?.string }.filter { !$0.isEmpty }
            .joined(separator: ": ").printable
        // In other errors `details` is an array.
        let details = body.last("details")
        missing = details?.last("resource_name")?.string
        existing = details?.last("existing").flatMap { try? StoredRecord($0) }
    }

    init?(_ response: NetworkResponse) {
        self.init(try? JSONView(stored: response.body))
    }
}
