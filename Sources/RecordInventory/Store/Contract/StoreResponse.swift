import RecordKitJSON
import RecordKit

/// A response of the store.
struct StoreResponse: Sendable {
    var status: Int
    var headers: HTTPHeaders = ["Content-Type": "application/json"]
    /// JSON text.
    var body: [UInt8]

    init(status: Int = 200, _ body: [UInt8]) {
        self.status = status
        self.body = body
    }
}

/// Why the store refuses a request, in the terms of Kinto's API.
struct StoreRefusal: Error, Sendable {
    let status: Int
    let number: Int
    let error: String
    var message: String?
    var details: JSONValue?

    var response: StoreResponse {
        let body = JSONValue.leavingOutNull([
            "code": JSONValue(status), "details": details ?? .null, "errno": JSONValue(number),
            "error": .string(error), "message": JSONValue(message),
        ])
        return StoreResponse(status: status, body.bytes())
    }
}

extension StoreRefusal {
    /// The tool does not send such a request.
    static func invalid(_ message: String) -> StoreRefusal {
        StoreRefusal(status: 400, number: 107, error: "Invalid parameters", message: message)
    }

    /// The object does not exist. A parent is the object that would hold the requested one.
    static func missing(_ id: String, _ objectName: String, isParent: Bool = false) -> StoreRefusal {
        StoreRefusal(
            status: 404, number: isParent ? 111 : 110, error: "Not Found",
            details: ["id": .string(id), "resource_name": .string(objectName)])
    }

    /// The path does not exist.
    static let unknownPath = StoreRefusal(
        status: 404, number: 111, error: "Not Found", message: "Nothing is found at this path.")

    /// The bucket does not exist. The message is the same as for another account's bucket.
    static let forbidden = StoreRefusal(
        status: 403, number: 121, error: "Forbidden", message: "This bucket cannot be accessed, or does not exist.")

    /// Another object of the list has the requested version. On PostgreSQL, Kinto refuses the request alike.
    static let versionTaken = StoreRefusal(
        status: 409, number: 122, error: "Conflict", message: "Integrity constraint violated, please retry.")

    static let method = StoreRefusal(
        status: 405, number: 115, error: "Method Not Allowed", message: "The path does not take this method.")

    /// The object has another version.
    ///
    /// - Parameter existing: The current object, or `nil` if there is none. Not sent if it is damaged.
    static func changedMeanwhile(_ existing: StoredObject?) -> StoreRefusal {
        StoreRefusal(
            status: 412, number: 114, error: "Precondition Failed", message: "Resource was modified meanwhile",
            details: existing.flatMap { try? JSONValue(stored: $0.json) }.map { ["existing": $0] })
    }
}
