import Foundation
import RecordKit
import RecordKitInterceptors

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Tells when an object that holds it is released.
final class Witness: Sendable {}

/// What the simulated servers and the rules know of one call of the library.
struct Traffic {
    let plan: Int
    let method: HTTPMethod
    var built = 0
    var read = 0
    var attempts = 0
    var answeredAttempts = 0
    var redirects = 0
    var exchanges = 0
    /// The newest token that was in use when the call was built.
    var tokenAtBuild = 0
    var sentToken: Int?
    /// The token of the last attempt that ended with a 401.
    var refusedToken: Int?
    /// The `Retry-After` of the last exchange.
    var retryAfter = 0
    /// The time before which `Retry-After` allows no other exchange.
    var notBefore = Duration.zero
    /// What the last exchange changed.
    var changed: (url: URL, version: Int)?
    /// The versions that callers knew when the call was built.
    var known: [URL: Int] = [:]
    /// An event of the driver after the last event.
    var late: (kind: NetworkEvent.Kind, time: Duration)?
    /// Whether an exchange had an effect that must not be repeated.
    var hasActed = false
}

/// The simulated servers, as a transport. What they do depends on the plan's seed, the call and the exchange.
final class Server: NetworkTransport, @unchecked Sendable {  // Only the main thread uses it.
    let world: World
    let plan: Plan
    let traits: TransportTraits
    var traffic: [NetworkCall.ID: Traffic] = [:]
    /// The number of exchanges of each call of the plan that reached a server.
    var reached: [Int: Int] = [:]
    var open: [Exchange] = []
    /// The calls of the plan that were cancelled.
    var cancelled: Set<Int> = []
    var mostOpen: [String: Int] = [:]
    /// The bodies that were sent whole, with the call of the plan.
    var bodies: [String: Int] = [:]
    /// The version of each resource, and the newest that a caller knows to be there.
    private var versions: [URL: Int] = [:]
    var known: [URL: Int] = [:]
    /// The time before which the circuit breaker of a host lets nothing through.
    var breakerEnds: [String: Duration] = [:]
    /// The time of the last chunk of each call.
    var lastChunk: [Int: Duration] = [:]
    /// The cookies of the session, the last one of each host, and all that it ever had. A server sends each only once.
    let cookies: HTTPCookieStorage?
    private var lastCookies: [String: String] = [:]
    private var pastCookies: Set<String> = []
    private var cookieCount = 0
    /// Ends the upgraded connections.
    var held: [() -> Void] = []
    private var exchanges: [Int: Int] = [:]
    /// The token that the server accepts, the newest that was given out, and the newest that was used.
    var validToken = 1, newestToken = 0, usedToken = 0
    /// Whether the server responds without troubles, and only when it is told to.
    var isProbing = false
    var probes: [UnsafeContinuation<Void, Never>] = []

    init(_ plan: Plan, _ world: World) {
        (self.plan, self.world) = (plan, world)
        cookies = plan.hasCache ? URLSessionConfiguration.ephemeral.httpCookieStorage : nil
        traits = TransportTraits(slots: plan.slots.map { HostSlots(limit: $0) })
        cookies?.cookies?.forEach { cookies?.deleteCookie($0) }
    }

    func exchange(_ call: NetworkCall) async throws(NetworkError) -> NetworkResponse {
        let exchange = Exchange(call, at: world.now)
        do throws(NetworkError) {
            let response = try await withTaskCancellationHandler {
                begin(exchange)
                return await result(of: call, exchange)
            } onCancel: {
                exchange.hasEnded = true
            }.get()
            if response.stream == nil { exchange.hasEnded = true }
            return response
        } catch {
            exchange.hasEnded = true
            throw error
        }
    }

    /// A place among the exchanges of a host.
    final class Exchange: @unchecked Sendable {  // Only the main thread uses it.
        let host: String
        let plan: Int
        /// The time from which the library may have ended the exchange, although it does not know it yet.
        let limit: Duration
        var hasEnded = false

        init(_ call: NetworkCall, at time: Duration) {
            host = call.url.host ?? ""
            plan = Int(call.headers["X-Call"] ?? "") ?? -1
            limit = time + min(call.timeout, call.timeLeft ?? call.timeout)
        }
    }

    private func begin(_ exchange: Exchange) {
        if exchange.hasEnded { return }
        open.removeAll { $0.hasEnded }
        open.append(exchange)
        let count = open.count { $0.host == exchange.host && $0.limit > world.now && !cancelled.contains($0.plan) }
        mostOpen[exchange.host] = max(mostOpen[exchange.host] ?? 0, count)
        if let slots = plan.slots, count > slots, !world.lags {
            world.violate("\(count) exchanges at once on \(exchange.host), which has \(slots) slots")
        }
    }

    private func result(
        of call: NetworkCall, _ exchange: Exchange
    ) async -> Result<NetworkResponse, NetworkError> {
        if Task.isCancelled { return .failure(.cancelled) }
        if isProbing {
            await withUnsafeContinuation { probes.append($0) }
            return .success(NetworkResponse(statusCode: 200, url: call.url))
        }
        let index = Int(call.headers["X-Call"] ?? "") ?? -1
        let number = exchanges[index, default: 0]
        exchanges[index] = number + 1
        world.note("call \(index) is sent, exchange \(number)")
        world.interrupt()
        checkPolicies(call)
        var script = Script(Generator(plan.seed, UInt64(index + 2), UInt64(number + 9)), plan, call, number)
        judge(call, &script)
        let version = change(call, &script)
        if script.failure != .refused { reached[index, default: 0] += 1 }
        let isWaiting = await world.pause(.event, script.headDelay, ignoresCancellation: script.ignoresCancellation)
        if !isWaiting { return .failure(.cancelled) }
        if let failure = script.failure {
            world.note("call \(index) \(failure == .refused ? "is refused" : "loses its connection")")
            return .failure(
                .connection(
                    NetworkError.ConnectionFailure(
                        kind: failure, host: call.origin.hostAndPort, mayHaveReachedServer: failure != .refused)))
        }
        if let wait = script.retryAfter {
            script.headers["Retry-After"] = "\(wait)"
            // A transport that does not notice the end of its exchange says nothing to the call.
            if !exchange.hasEnded { traffic[call.id]?.retryAfter = wait }
        }
        world.note("call \(index) gets the head of a \(script.status)")
        world.interrupt()
        // An upgraded connection takes no slot.
        if script.status == 101 { exchange.hasEnded = true }
        var response = NetworkResponse(statusCode: script.status, headers: script.headers, url: call.url)
        let body = content(call, index, number, version, script)
        if !script.isBroken { bodies[body.joined()] = index }
        if script.isData {
            response.body = Data(body.joined().utf8)
            return script.isBroken ? .failure(lost(call)) : .success(response)
        }
        response.content = .stream(stream(body, of: call, index, script, exchange))
        return .success(response)
    }

    /// Changes the resource, or adds what a cache needs. Returns the version of the resource.
    private func change(_ call: NetworkCall, _ script: inout Script) -> Int {
        let version = versions[call.url] ?? 0
        guard script.failure == nil, script.status == 200 else { return version }
        if !call.method.isSafe {
            versions[call.url] = version + 1
            traffic[call.id]?.changed = (call.url, version + 1)
            return version + 1
        }
        guard plan.hasCache, ![.pages, .events, .download].contains(script.kind) else { return version }
        script.headers["ETag"] = "\"\(version)\""
        script.headers["Cache-Control"] = script.cacheControl
        if call.headers["If-None-Match"]?.contains("\"\(version)\"") == true {
            script.status = 304
            script.isData = true
        } else {
            // It isn't sent back, since it would be part of the cache's key.
            cookieCount += 1
            script.headers["Set-Cookie"] = "count=\(cookieCount); Path=/never"
        }
        return version
    }

    /// Checks that no stored response sets its cookie again.
    func checkCookies() {
        for cookie in cookies?.cookies ?? [] where lastCookies[cookie.domain] != cookie.value {
            lastCookies[cookie.domain] = cookie.value
            if !pastCookies.insert(cookie.value).inserted { world.violate("a stored response sets a cookie") }
        }
    }

    private func lost(_ call: NetworkCall) -> NetworkError {
        .connection(
            NetworkError.ConnectionFailure(kind: .lost, host: call.origin.hostAndPort, mayHaveReachedServer: true))
    }

    /// Returns a stream that is written by events.
    private func stream(
        _ body: [String], of call: NetworkCall, _ index: Int, _ script: Script, _ exchange: Exchange
    ) -> NetworkBytes {
        let world = world
        let (bytes, writer) = NetworkBytes.makeStream(
            bufferLimit: 1 << 16, onDrained: { world.interrupt() },
            onCancel: {
                exchange.hasEnded = true
                world.note("the stream of call \(index) is cancelled")
            })
        let error = script.isBroken ? lost(call) : nil
        write(body[...], every: script.chunkDelay) {
            world.note("call \(index) gets \($0.utf8.count) bytes")
            if script.status < 300, !exchange.hasEnded { self.lastChunk[index] = self.world.now }
            writer.write(Data($0.utf8))
        } end: {
            // A silent server holds the stream until it is cancelled. An upgraded connection holds nothing up.
            if script.isSilent {
                if script.status == 101 { self.held.append { writer.finish() } }
                return
            }
            world.note("the body of call \(index) \(error == nil ? "ends" : "breaks off")")
            exchange.hasEnded = true
            writer.finish(throwing: error)
            if !script.isDouble { return }
            // A transport may call back once more.
            writer.write(Data("late".utf8))
            writer.finish(throwing: error == nil ? .cancelled : nil)
        }
        return bytes
    }

    private func write(
        _ chunks: ArraySlice<String>, every time: Duration, _ write: @escaping (String) -> Void,
        end: @escaping () -> Void
    ) {
        world.schedule(.event, after: time) {
            guard let first = chunks.first else { return end() }
            write(first)
            self.write(chunks.dropFirst(), every: time, write, end: end)
        }
    }

    /// Returns the chunks of a body.
    private func content(
        _ call: NetworkCall, _ index: Int, _ number: Int, _ version: Int, _ script: Script
    ) -> [String] {
        if script.status == 204 || script.status == 304 { return [] }
        if !(200..<300).contains(script.status) { return ["no"] }
        switch script.kind {
        case .events:
            let last = Int(call.headers["Last-Event-ID"] ?? "") ?? 0
            return (1...script.chunks).map { "id: \(last + $0)\ndata: x\n\n" }
        case .pages:
            let page = Int(call.url.lastPathComponent) ?? 0
            return ["[\(2 * page),", "\(2 * page + 1)]"]
        case .lines: return (0..<script.chunks).map { "line \($0)\nli" } + ["ne"]
        default: return ["\(version)v"] + (0..<script.chunks).map { "c\(index)e\(number)p\($0)," } + ["."]
        }
    }

    // MARK: Rules

    private func checkPolicies(_ call: NetworkCall) {
        if let end = breakerEnds[call.url.host ?? ""], world.now < end {
            world.violate("an exchange passes the open circuit breaker of \(call.url.host ?? "")")
        }
        guard var traffic = traffic[call.id] else {
            // A cache validates with calls of its own.
            return plan.hasCache ? () : world.violate("a call is sent that was never built")
        }
        traffic.exchanges += 1
        traffic.retryAfter = 0
        traffic.changed = nil
        if world.now < traffic.notBefore {
            world.violate("call \(traffic.plan) is repeated before its Retry-After")
        }
        if traffic.hasActed, call.method == .post {
            world.violate("call \(traffic.plan) repeats a POST that a server may have acted on")
        }
        // A cache asks again if the response that was confirmed is gone.
        let most =
            (plan.hasCache ? 2 : 1) * (plan.layers.contains(.retry) ? 3 : 1)
            * (plan.layers.contains(.authorization) ? 2 : 1)
        if traffic.exchanges - traffic.redirects > most {
            world.violate("call \(traffic.plan) is sent more than \(most) times")
        }
        self.traffic[call.id] = traffic
    }

    /// Decides on the token of a call, and remembers what the exchange did.
    private func judge(_ call: NetworkCall, _ script: inout Script) {
        let id = call.id
        if plan.layers.contains(.authorization) {
            let token = call.headers["Authorization"].flatMap { Int($0.dropFirst("Bearer t".count)) }
            if call.url.host == "b.test" {
                if token != nil { world.violate("a token is sent to another host") }
            } else if let token {
                if script.expiresToken, validToken < 4, validToken == newestToken { validToken += 1 }
                if token < traffic[id]?.tokenAtBuild ?? 0 {
                    world.violate("call \(traffic[id]?.plan ?? 0) uses token \(token), which was replaced before")
                }
                if traffic[id]?.refusedToken == token {
                    world.violate("call \(traffic[id]?.plan ?? 0) sends token \(token), which it was refused with")
                }
                usedToken = max(usedToken, token)
                traffic[id]?.sentToken = token
                if token < validToken, script.failure == nil { script.refuse() }
            } else if traffic[id]?.redirects == 0 {
                world.violate("call \(traffic[id]?.plan ?? 0) isn't signed")
            }
        }
        let isRefusal = script.failure == .refused || script.failure == nil && [302, 307, 401].contains(script.status)
        if !isRefusal { traffic[id]?.hasActed = true }
    }
}

/// Counts events, and checks their order.
struct Observer: NetworkObserver {
    let server: Server

    func observe(_ event: NetworkEvent, of call: NetworkCall) {
        let world = server.world
        world.interrupt()
        server.checkCookies()
        guard let request = call.request as? any Planned else { return }
        if server.isProbing { return }
        world.note("call \(request.index) reports \(event.kind.rawValue)\(event.statusCode.map { " \($0)" } ?? "")")
        var traffic = server.traffic[call.id] ?? Traffic(plan: request.index, method: call.method)
        switch event.kind {
        case .built:
            traffic.built += 1
            traffic.tokenAtBuild = server.usedToken
            traffic.known = server.known
        case .read: traffic.read += 1
        case .attempt:
            traffic.attempts += 1
            if event.statusCode != nil { traffic.answeredAttempts += 1 }
            if event.statusCode == 200, traffic.redirects == 0, let (url, version) = traffic.changed {
                server.known[url] = max(server.known[url] ?? 0, version)
            }
            // Without the whole response, as after a timeout, nothing is known.
            if event.statusCode == 503 { traffic.notBefore = world.now + .seconds(traffic.retryAfter) }
            if event.statusCode == 401 { traffic.refusedToken = traffic.sentToken }
        case .redirect: traffic.redirects += 1
        // After a refresh that failed, the token is tried once more.
        case .refresh where event.detail == "failed": traffic.refusedToken = nil
        default: break
        }
        if [.attempt, .redirect, .slot].contains(event.kind), traffic.read > 0,
            !server.plan.layers.contains(.singleFlight)
        {
            traffic.late = (event.kind, world.now)
        }
        server.traffic[call.id] = traffic
    }
}

/// A request that knows its place in the plan.
protocol Planned: Sendable {
    var index: Int { get }
}
