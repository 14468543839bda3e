import RecordKit
import RecordKitInterceptors
import RecordKitOutbox
import RecordKitTesting
import TestSupport
import XCTest

struct Receipt: Codable, Sendable {
    let number: Int
}

/// A sale with several fields, whose order in JSON `JSONEncoder` doesn't fix.
struct PostSale: NetworkRequest, Codable, Sendable {
    typealias ValueType = Receipt

    struct Line: Codable, NetworkEncodable, Sendable {
        var sku: String
        var copies = 1
        var price = 12.5
        var title = "Blue"
        var shop = "Main Street"
    }

    var sku: String
    var method: HTTPMethod { .post }
    var path: RequestPath { "sales" }
    var body: Line { Line(sku: sku) }
}

/// A request that is sent once at most.
struct PostOnce: NetworkRequest, Codable, Sendable {
    typealias ValueType = Receipt

    var sku: String
    var method: HTTPMethod { .post }
    var path: RequestPath { "once" }
    var body: [String: String] { ["sku": sku] }
    var options: RequestOptions {
        var options = RequestOptions()
        options.retry = .never
        return options
    }
}

/// A server in the process that records what it receives.
final class SaleServer: NetworkTransport {
    struct Received: Sendable {
        let key: String?
        let body: Data
        let contentType: String?
        let token: String?
        let path: String

        var text: String { String(decoding: body, as: UTF8.self) }
        /// The SKU of a sale.
        var sku: String { (try? JSONDecoder().decode(PostSale.Line.self, from: body).sku) ?? text }
    }

    /// A struct, since each read of a bare closure from a lock wraps it once more.
    struct Response: Sendable {
        let make: @Sendable (NetworkCall, Received) async throws(NetworkError) -> NetworkResponse
    }

    let received = Kept<[Received]>([])
    private let response = Kept(Response { (call, _) throws(NetworkError) in .receipt(call) })

    func respond(
        _ make: @escaping @Sendable (NetworkCall, Received) async throws(NetworkError) -> NetworkResponse
    ) { response.set(Response(make: make)) }

    func respond(_ status: Int, _ headers: HTTPHeaders = [:], body: String = "{}") {
        respond { (call, _) throws(NetworkError) in
            NetworkResponse(statusCode: status, headers: headers, body: Data(body.utf8), url: call.url)
        }
    }

    func fail(_ error: NetworkError) { respond { (_, _) throws(NetworkError) in throw error } }

    func sell() { respond { (call, _) throws(NetworkError) in .receipt(call) } }

    func exchange(_ call: NetworkCall) async throws(NetworkError) -> NetworkResponse {
        let received = Received(
            key: call.headers["Idempotency-Key"], body: try await call.body?.data() ?? Data(),
            contentType: call.headers["Content-Type"], token: call.headers["Authorization"], path: call.url.path)
        // Before a test that has seen the request sets the next response.
        let response = response.now
        self.received.add(received)
        return try await response.make(call, received)
    }

    func count(_ isMeant: (Received) -> Bool) -> Int { received.now.count(where: isMeant) }

    var skus: [String] { received.now.map(\.sku) }
    var count: Int { received.now.count }
}

extension NetworkResponse {
    static func receipt(_ call: NetworkCall, _ number: Int = 7) -> NetworkResponse {
        NetworkResponse(
            statusCode: 201, headers: ["Content-Type": "application/json"], body: Data("{\"number\":\(number)}".utf8),
            url: call.url)
    }
}

extension NetworkError {
    static func connection(
        _ kind: ConnectionFailure.Kind, reached: Bool = false
    ) -> NetworkError {
        .connection(ConnectionFailure(kind: kind, host: "shop.test:443", mayHaveReachedServer: reached))
    }

    static func timeout(_ limit: Timeout.Limit) -> NetworkError {
        .timedOut(Timeout(limit: limit, after: .seconds(60), host: "shop.test:443"))
    }
}

/// A folder with the file of an outbox, a clock, a server, and what was handled.
final class Bench: Sendable {
    let folder: TemporaryFolder
    let clock = ManualClock()
    let server = SaleServer()
    /// What the handlers got: the SKU, and the number of the receipt or the error.
    let handled = Kept<[String]>([])
    let damage = Kept<[OutboxDamage]>([])

    init() throws {
        // In memory, where the system has such a folder: thousands of attempts are stored.
        let memory = "/dev/shm"
        folder = try TemporaryFolder(
            in: FileManager.default.isWritableFile(atPath: memory) ? URL(filePath: memory) : nil)
    }

    var file: URL { folder.url.appending(path: "queue/sales.sqlite") }

    func session(
        _ interceptors: [any NetworkInterceptor] = [], options: RequestOptions = RequestOptions(),
        observers: [any NetworkObserver] = []
    ) -> NetworkSession {
        NetworkSession(
            NetworkConfiguration(
                environment: "https://shop.test", transport: server, interceptors: interceptors, options: options,
                clock: clock.networkClock, observers: observers))
    }

    /// Returns a bench, and an outbox of its own.
    static func opened() throws -> (bench: Bench, outbox: Outbox) {
        let bench = try Bench()
        return (bench, try bench.outbox())
    }

    /// An outbox as a new process would make it.
    func outbox(
        account: String? = nil, limits: OutboxLimits = OutboxLimits(), client: (any NetworkClient)? = nil,
        clock: NetworkClock? = nil, kinds: [OutboxKind]? = nil
    ) throws -> Outbox {
        try Outbox(
            file: file, client: client ?? session(), kinds: kinds ?? [sales(), once()], account: account,
            limits: limits, clock: clock ?? self.clock.networkClock, random: { 0.999 },
            onDamage: { [damage] in damage.add($0) })
    }

    func sales(
        _ name: String = "sale", formerNames: [String] = [],
        then: @escaping @Sendable (OutboxReply<PostSale>) async throws -> Void = { _ in },
        tryAgain: @escaping @Sendable (PostSale.ResultType, NetworkResponse) -> Bool = { _, _ in false }
    ) -> OutboxKind {
        OutboxKind(name, formerNames: formerNames, PostSale.self, tryAgain: tryAgain) { [handled] reply in
            handled.add("\(reply.request.sku): \(Self.text(reply.result))")
            try await then(reply)
        }
    }

    func once() -> OutboxKind {
        OutboxKind("once", PostOnce.self) { [handled] reply in
            handled.add("\(reply.request.sku): \(Self.text(reply.result))")
        }
    }

    static func text(_ result: Result<Receipt, NetworkError>) -> String {
        switch result {
        case .success(let receipt): "\(receipt.number)"
        case .failure(.timedOut(let timeout)) where timeout.limit == .deadline: "expired"
        case .failure(.status(let response)): "\(response.statusCode)"
        case .failure(.decoding): "unreadable"
        case .failure(.tooLarge): "too large"
        case .failure(.cancelled): "cancelled"
        case .failure(.file): "lost"
        case .failure(let error): "\(error)"
        }
    }

    /// All bytes of the file, its log and the files beside it.
    func bytes() throws -> Data {
        let folder = file.deletingLastPathComponent()
        let names = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
        return names.reduce(into: Data()) { $0 += (try? Data(contentsOf: folder.appending(path: $1))) ?? Data() }
    }
}

extension OutboxStatus {
    init(waiting: Int = 0, setAside: Int = 0, pause: Pause? = nil) {
        self.init()
        (self.waiting, self.setAside, self.pause) = (waiting, setAside, pause)
    }

    /// The status of an outbox with one entry that waits, or is set aside.
    init(_ isWaiting: Bool) {
        self.init(waiting: isWaiting ? 1 : 0, setAside: isWaiting ? 0 : 1)
    }
}
