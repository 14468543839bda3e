import RecordKitJSON
import Foundation
import RecordKit
import RecordKitTesting
import Synchronization

@testable import RecordInventory

/// A request to Kinto, alone or in a batch that reads.
struct KintoRequest {
    let method: HTTPMethod
    let target: String
    var text = ""

    /// The target before its `?`.
    var path: String { String(target.prefix { $0 != "?" }) }

    init(_ request: LoopbackRequest) {
        method = request.method
        target = request.target
        text = request.text
    }

    private init(reading path: String) {
        method = .get
        target = "/v1" + path
    }

    /// The requests of a batch that only reads, or `nil` for any other request.
    var reads: [KintoRequest]? {
        guard method == .post, path.hasSuffix("/batch"),
            let parts = try? JSONValue(stored: Array(text.utf8)).object?["requests"]?.array,
            parts.allSatisfy({ $0.object?["method"]?.string == "GET" })
        else { return nil }
        return parts.map { KintoRequest(reading: $0.object?["path"]?.string ?? "") }
    }
}

extension LoopbackRequest {
    /// Whether the request may change something.
    var isChange: Bool { method != .get && KintoRequest(self).reads == nil }
}

extension LoopbackServer {
    /// Creates a server that responds to each request of a batch that reads as to one of its own. A response without
    /// JSON is the response to the whole batch.
    convenience init(each respond: @escaping @Sendable (KintoRequest) -> StubResponse) throws {
        try self.init { request in
            let request = KintoRequest(request)
            guard let reads = request.reads else { return respond(request) }
            var responses: [JSONValue] = []
            for read in reads {
                let answer = respond(read)
                guard let status = answer.status, let body = answer.body,
                    let json = try? JSONValue(stored: Array(body)), json.object?["errno"] != nil || status < 300
                else { return answer }
                responses.append(["status": .integer(status), "headers": [:], "body": json])
            }
            return .json((["responses": .array(responses)] as JSONValue).text())
        }
    }

    /// Creates a server with a complete ledger. `respond` answers the other requests. Its response to a batch has none
    /// for the movements, which are accepted with their records.
    static func kinto(_ respond: @escaping @Sendable (KintoRequest) -> StubResponse) throws -> LoopbackServer {
        try LoopbackServer(each: { request in
            if request.method == .get, request.path.hasSuffix("/records/\(Ledger.anchorID)") { return ready }
            if request.method == .get, request.path.hasSuffix("/records/\(Ledger.lockID)") { return ready }
            if request.method == .get, request.path.hasSuffix("/\(Ledger.collection)/records") {
                return .json(#"{"data":[]}"#)
            }
            if request.path.hasSuffix("/sums") {
                return .json(#"{"code":404,"errno":111,"error":"Not Found"}"#, status: 404)
            }
            // A creation looks first. Its record is not in stock.
            if request.method == .get, request.target.contains("in_id=") { return .json(#"{"data":[]}"#) }
            if request.method == .get, request.path.contains("/\(Ledger.collection)/records/") {
                let missing = #"{"code":404,"errno":110,"details":{"resource_name":"record"}}"#
                return .json(missing, status: 404)
            }
            let answer = respond(request)
            return request.method == .post ? withMovements(answer, to: request) : answer
        })
    }

    /// Creates a server with a complete ledger, and these responses to the other requests in turn.
    static func kinto(answers: [StubResponse]) throws -> LoopbackServer {
        let rest = Mutex(answers[...])
        return try kinto { _ in
            rest.withLock { rest in rest.count > 1 ? rest.removeFirst() : rest.first ?? .close }
        }
    }

    private static let ready = StubResponse.json(
        #"{"permissions":{"write":["account:shop"]},"data":{"id":"x","last_modified":1,"ledger":\#(Ledger.format)}}"#)

    static func withMovements(_ answer: StubResponse, to request: KintoRequest) -> StubResponse {
        guard let sent = try? JSONValue(stored: Array(request.text.utf8)).object?["requests"]?.array,
            let body = answer.body, let json = try? JSONValue(stored: Array(body)),
            let given = json.object?["responses"]?.array, given.count > 1, given.count < sent.count
        else { return answer }
        var rest = given.dropFirst()
        var last: JSONValue = [:]
        let responses = sent.dropFirst().map { part -> JSONValue in
            if part.object?["path"]?.string?.contains("/records/records/") == true {
                last = rest.popFirst() ?? [:]
                return last
            }
            let status = last.object?["status"]?.integer ?? 0
            if 200..<300 ~= status { return ["status": 201, "headers": [:], "body": ["data": ["id": "m"]]] }
            return last
        }
        return .json((["responses": .array([given[0]] + responses)] as JSONValue).text())
    }
}

extension StubResponse {
    // A step does not show its bytes, but its mirror does.
    private var payloads: [(name: String?, value: Any)] {
        steps.compactMap { step in
            guard let action = Mirror(reflecting: step).children.first?.value,
                let payload = Mirror(reflecting: action).children.first
            else { return nil }
            return (payload.label, payload.value)
        }
    }

    /// The bytes of the body.
    fileprivate var body: Data? { payloads.last { $0.name == "body" }?.value as? Data }

    /// The status in the head.
    fileprivate var status: Int64? {
        guard let head = payloads.first(where: { $0.name == "head" })?.value,
            let bytes = Mirror(reflecting: head).children.first?.value as? Data
        else { return nil }
        return String(decoding: bytes, as: UTF8.self).split(separator: " ").dropFirst().first.flatMap { Int64($0) }
    }
}
