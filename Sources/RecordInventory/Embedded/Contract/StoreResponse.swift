import Foundation
import RecordKit

/// The store's answer to one request.
struct StoreResponse: Sendable {
    var status: Int
    var headers = HTTPHeaders()
    /// JSON, or nothing.
    var body: [UInt8] = []

    /// The answer to a conditional read of what has not changed.
    static func notModified(version: Int64) -> StoreResponse {
        StoreResponse(status: 304, headers: versionHeaders(version))
    }

    init(status: Int, headers: HTTPHeaders = HTTPHeaders(), body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// An answer with a body, and the version of what it shows.
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

/// Why the store does not do what a request asks, as the contract says it.
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

    /// The object does not exist; as a parent it is what should hold the one that was asked for.
    static func missing(_ id: String, _ objectName: String, isParent: Bool = false) -> StoreRefusal {
        StoreRefusal(
            status: 404, number: isParent ? 111 : 110, error: "Not Found",
            details: ["id": .string(id), "resource_name": .string(objectName)])
    }

    /// The path leads nowhere.
    static let unknownPath = StoreRefusal(
        status: 404, number: 111, error: "Not Found", message: "Nothing is found at this path.")

    /// A missing bucket looks like one that belongs to somebody else.
    static let forbidden = StoreRefusal(
        status: 403, number: 121, error: "Forbidden", message: "This bucket cannot be accessed, or does not exist.")

    static func method(allowed: [String]) -> StoreRefusal {
        StoreRefusal(
            status: 405, number: 115, error: "Method Not Allowed", message: "The path does not take this method.",
            headers: ["Allow": allowed.joined(separator: ", ")])
    }

    /// - Parameter existing: what is there now, nil for a list or nothing; left out where it is damaged.
    static func changedMeanwhile(existing: StoredObject?, version: Int64) -> StoreRefusal {
        StoreRefusal(
            status: 412, number: 114, error: "Precondition Failed", message: "Resource was modified meanwhile",
            details: existing.flatMap { try? JSONReader.read($0.json) }.map { ["existing": $0] },
            headers: StoreResponse.versionHeaders(version))
    }
}
