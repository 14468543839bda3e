import RecordKitJSON
import XCTest

@testable import RecordInventory

/// The contract of every record store: the embedded one and a live Kinto.
///
/// The checks create their objects in a bucket of their own, and leave them there.
struct StoreContract: Sendable {
    struct Request: Sendable {
        var method: String
        /// The percent-encoded path after the server's URL, with its query: `/v1/buckets?_limit=1`.
        var target: String
        var headers: [String: String] = [:]
        var body: String?
    }

    struct Response: Sendable {
        let status: Int
        /// The values, by lowercase name.
        let headers: [String: String]
        let body: JSONValue?
    }

    let bucket: String
    let send: @Sendable (Request) async throws -> Response

    static let checks: [(name: String, run: @Sendable (StoreContract) async throws -> Void)] = [
        ("server", { try await $0.checkServer() }), ("parents", { try await $0.checkParents() }),
        ("records", { try await $0.checkRecords() }), ("bodies", { try await $0.checkBodies() }),
        ("paths", { try await $0.checkPaths() }), ("conditions", { try await $0.checkConditions() }),
        ("versions", { try await $0.checkVersions() }), ("tombstones", { try await $0.checkTombstones() }),
        ("filters", { try await $0.checkFilters() }), ("order", { try await $0.checkOrder() }),
        ("pages", { try await $0.checkPages() }), ("fields", { try await $0.checkFields() }),
        ("patches", { try await $0.checkPatches() }), ("batches", { try await $0.checkBatches() }),
    ]
}

// Sending requests.
extension StoreContract {
    /// Creates a collection, and returns the path of its records.
    func records(_ collection: String) async throws -> String {
        try await send("PUT", "/v1/buckets/\(bucket)")
        try await send("PUT", "/v1/buckets/\(bucket)/collections/\(collection)")
        return "/v1/buckets/\(bucket)/collections/\(collection)/records"
    }

    @discardableResult
    func send(_ method: String, _ target: String, _ body: String? = nil, _ headers: [String: String] = [:])
        async throws -> Response
    {
        var headers = headers
        if body != nil && headers["Content-Type"] == nil { headers["Content-Type"] = "application/json" }
        return try await send(Request(method: method, target: target, headers: headers, body: body))
    }

    /// Puts objects, given as the JSON of their data.
    func put(_ objects: [(id: String, data: String)], in records: String) async throws {
        for object in objects {
            let answer = try await send("PUT", "\(records)/\(object.id)", #"{"data":\#(object.data)}"#)
            XCTAssertEqual(answer.status, 201, "creating \(object.id)")
        }
    }

    /// Returns the ids that a query of a list finds, in order.
    func ids(_ records: String, _ query: String, file: StaticString = #filePath, line: UInt = #line) async throws
        -> [String]
    {
        let answer = try await send("GET", "\(records)?\(Self.encoded(query))")
        XCTAssertEqual(answer.status, 200, query, file: file, line: line)
        return answer.listed.compactMap { $0["id"]?.string }
    }

    /// Encodes the characters that a URL may not contain. Encoded characters stay as they are.
    static func encoded(_ query: String) -> String {
        query.addingPercentEncoding(
            withAllowedCharacters: CharacterSet.alphanumerics.union(CharacterSet(charactersIn: "-._~&=%*,+"))
                .intersection(
                    CharacterSet(charactersIn: "\u{0}"..."\u{7F}"))) ?? query
    }
}

// Reading responses.
extension StoreContract.Response {
    /// The object under `data`.
    var data: [String: JSONValue] { body?.dictionary?["data"]?.dictionary ?? [:] }

    /// The objects of the array under `data`.
    var listed: [[String: JSONValue]] { body?.object?["data"]?.array?.compactMap(\.dictionary) ?? [] }

    /// The responses of a batch.
    var responses: [[String: JSONValue]] { body?.object?["responses"]?.array?.compactMap(\.dictionary) ?? [] }

    var version: Int64? { data["last_modified"]?.integer }

    func expect(
        _ status: Int, errno: Int64? = nil, _ message: String = "", file: StaticString = #filePath, line: UInt = #line
    ) {
        XCTAssertEqual(self.status, status, message, file: file, line: line)
        guard status >= 400, body != nil || errno != nil else { return }
        let error = body?.dictionary ?? [:]
        XCTAssertEqual(error["code"], .integer(Int64(status)), message, file: file, line: line)
        XCTAssertEqual(error["errno"]?.integer, errno, message, file: file, line: line)
        XCTAssertNotNil(error["error"]?.string, message, file: file, line: line)
        XCTAssertEqual(headers["content-type"], "application/json", message, file: file, line: line)
    }
}

extension JSONValue {
    /// The members of an object, without their order.
    var dictionary: [String: JSONValue]? {
        object.map { Dictionary($0.members.map { ($0.name, $0.value) }) { $1 } }
    }
}
