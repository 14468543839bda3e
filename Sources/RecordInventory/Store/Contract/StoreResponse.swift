import Foundation
import RecordKit

/// A response of the store.
struct StoreResponse: Sendable {
    var status: Int
    var headers = HTTPHeaders()
    /// JSON text, or empty.
    var body: [UInt8] = []

    init(status: Int, headers: HTTPHeaders = HTTPHeaders(), body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// Makes a response with a body, and the version of its contents.
    init(status: Int = 200, version: Int64?, body: [UInt8]) {
        self.status = status
        self.body = body
        if let version { headers = Self.versionHeaders(version) }
        headers.add("Content-Type", "application/json")
    }

    static func versionHeaders(_ version: Int64) -> HTTPHeaders {
        let date = HTTPDate(Date(timeIntervalSince1970: Double(version) / 1_000))
        return ["ETag": "\"\(version)\"", "Last-Modified": date.description]
    }
}

/// Why the store refuses a request, in the terms of Kinto's API.
struct StoreRefusal: Error, Sendable {
    let status: Int
    let number: Int
    let error: String
    var message: String?
    var details: JSONValue?
    var headers = HTTPHeaders()

    var response: StoreResponse {
        let members: [(String, JSONValue?)] = [
            ("code", JSONValue(status)), ("details", details), ("errno", JSONValue(number)), ("error", .string(error)),
            ("message", message.map { .string($0) }),
        ]
        let body = JSONObject(
            members.compactMap { name, value in value.map { JSONObject.Member(name: name, value: $0) } })
        var response = StoreResponse(status: status, version: nil, body: JSONWriter.bytes(.object(body)))
        response.headers.merge(headers)
        return response
    }
}

extension StoreRefusal {
    enum Location: String {
        case body, querystring, header, path
    }

    /// A part of the request is wrong.
    static func invalid(_ location: Location, _ name: String?, _ description: String, status: Int = 400)
        -> StoreRefusal
    {
        let message =
            switch name {
            case let name? where description.contains(name): description
            case let name?: "\(name) in \(location.rawValue): \(description)"
            case nil: "\(location.rawValue): \(description)"
            }
        return StoreRefusal(
            status: status, number: 107, error: "Invalid parameters", message: message,
            details: [
                [
                    "location": .string(location.rawValue), "name": JSONValue(name),
                    "description": .string(description),
                ]
            ])
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

    static func method(allowed: [String]) -> StoreRefusal {
        StoreRefusal(
            status: 405, number: 115, error: "Method Not Allowed", message: "The path does not take this method.",
            headers: ["Allow": allowed.joined(separator: ", ")])
    }

    /// The object or list has another version.
    ///
    /// - Parameter existing: the current object, or `nil` for a list or nothing. Not sent if it is damaged.
    static func changedMeanwhile(existing: StoredObject?, version: Int64) -> StoreRefusal {
        StoreRefusal(
            status: 412, number: 114, error: "Precondition Failed", message: "Resource was modified meanwhile",
            details: existing.flatMap { try? JSONReader.read($0.json) }.map { ["existing": $0] },
            headers: StoreResponse.versionHeaders(version))
    }
}
