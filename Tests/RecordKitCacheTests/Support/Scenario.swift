import RecordKit
import RecordKitCache
import RecordKitTesting
import TestSupport
import XCTest

/// A case: a section of a specification, and the steps that it is tested with.
struct Scenario: Sendable {
    let section: String
    let name: String
    let steps: [Step]

    init(_ section: String, _ name: String, _ steps: Step...) {
        self.section = section
        self.name = name
        self.steps = steps
    }
}

/// A step of a scenario.
enum Step: Sendable {
    /// Sets the server's response to later requests.
    case serve(OriginServer.Response)
    case wait(Double)
    case ask(Request, Outcome)

    struct Request: Sendable {
        var method: HTTPMethod = .get
        var path: RequestPath = "ask"
        var fields: [String] = []
        var policy: CachePolicy?
    }

    /// What a request must lead to.
    enum Outcome: Sendable {
        /// The server received a request without conditions.
        case sent
        /// The server received a request with these entity tags, or with the stored date.
        case validated(String)
        /// The server received no request. The response has this body.
        case stored(String)
        /// The server received no request. The response has this status.
        case status(Int)
        /// The server received a request, and the response has this body.
        case sentFor(String)
        /// The call fails.
        case failed
        /// The server received no request, and the call fails.
        case failedUnsent
    }

    static func server(_ fields: String..., status: Int = 200, body: String? = nil) -> Step {
        .serve(OriginServer.Response(status: status, fields: fields, body: body))
    }

    static func error(_ error: NetworkError) -> Step { .serve(OriginServer.Response(error: error)) }

    static func get(
        _ outcome: Outcome, _ fields: String..., path: RequestPath = "ask", policy: CachePolicy? = nil
    ) -> Step { .ask(Request(path: path, fields: fields, policy: policy), outcome) }

    static func send(
        _ method: HTTPMethod, _ outcome: Outcome = .sent, path: RequestPath = "ask"
    ) -> Step { .ask(Request(method: method, path: path), outcome) }
}

/// Runs scenarios over a store, each with a cache, a server and a clock of its own.
struct Player {
    let clock: ManualClock
    let server: OriginServer
    let cache: HTTPCache
    private let network: NetworkSession

    init(store: any CacheStore = MemoryCacheStore(), clock: ManualClock = ManualClock()) {
        self.init(cache: HTTPCache(store: store), clock: clock)
    }

    init(cache: HTTPCache, clock: ManualClock = ManualClock()) {
        let server = OriginServer(clock: clock)
        self.init(cache: cache, transport: server, server: server, clock: clock)
    }

    /// Creates a player whose cache sends requests with a transport that leads to the server.
    init(cache: HTTPCache = HTTPCache(), transport: any NetworkTransport, server: OriginServer, clock: ManualClock) {
        self.clock = clock
        self.cache = cache
        self.server = server
        network = NetworkSession(NetworkConfiguration(cache.transport(transport), clock: clock))
    }

    /// Sets the response to later requests.
    func serve(_ fields: String..., status: Int = 200, body: String? = nil) {
        server.respond(with: OriginServer.Response(status: status, fields: fields, body: body))
    }

    /// Requests each of these paths, and returns the number of requests that the server has received so far.
    @discardableResult
    func get(_ paths: RequestPath...) async throws -> Int {
        for path in paths { try await send(Step.Request(path: path)) }
        return server.calls.count
    }

    /// Sends a request, and returns its response.
    @discardableResult
    func send(_ request: Step.Request) async throws(NetworkError) -> NetworkResponse {
        var options = RequestOptions(redirects: .never)
        options.cache = request.policy
        let ask = Ask<Data>(
            path: request.path, method: request.method, headers: clock.headers(request.fields), options: options)
        do throws(NetworkError) {
            guard let response = try await NetworkManager(network).reply(for: ask).response else { throw .cancelled }
            return response
        } catch {
            guard let response = error.response else { throw error }
            return response
        }
    }

    /// Runs a scenario. Returns what is wrong, or `nil`.
    func play(_ scenario: Scenario) async -> String? {
        for (index, step) in scenario.steps.enumerated() {
            switch step {
            case .serve(let response): server.respond(with: response)
            case .wait(let seconds): clock.advance(by: .milliseconds(Int(seconds * 1000)))
            case .ask(let request, let outcome):
                if let wrong = await ask(request, outcome) {
                    return "\(scenario.section) \(scenario.name): step \(index + 1): \(wrong)"
                }
            }
        }
        return nil
    }

    private func ask(_ request: Step.Request, _ outcome: Step.Outcome) async -> String? {
        let before = server.calls.count
        var response: NetworkResponse?
        do throws(NetworkError) {
            response = try await send(request)
        } catch {
            switch outcome {
            case .failed: return nil
            case .failedUnsent: return server.calls.count == before ? nil : "was sent"
            default: return "failed: \(error)"
            }
        }
        let sent = server.calls.dropFirst(before)
        let body = response.map { String(decoding: $0.body, as: UTF8.self) } ?? ""
        let condition = sent.first.map { $0.headers["If-None-Match"] ?? $0.headers["If-Modified-Since"] ?? "" }
        switch outcome {
        case .sent: return condition == "" ? nil : condition.map { "was sent with \($0)" } ?? "wasn't sent"
        case .validated(let expected):
            return condition == expected ? nil : condition.map { "was sent with '\($0)'" } ?? "wasn't sent"
        case .stored(let expected):
            return sent.isEmpty ? body == expected ? nil : "has the body \(body)" : "was sent"
        case .status(let status):
            return sent.isEmpty
                ? response?.statusCode == status ? nil : "has the status \(response?.statusCode ?? 0)" : "was sent"
        case .sentFor(let expected): return condition != nil && body == expected ? nil : "has the body \(body)"
        case .failed, .failedUnsent: return "didn't fail"
        }
    }
}
