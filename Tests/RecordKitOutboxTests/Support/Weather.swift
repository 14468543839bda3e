import RecordKit
import RecordKitTesting
import TestSupport
import XCTest

@testable import RecordKitOutbox

/// What a server, or a network before it, does with a request.
enum Outcome: Sendable {
    case status(Int, HTTPHeaders = [:], String = "{}")
    case error(NetworkError)

    static let later: HTTPHeaders = ["Retry-After": "60"]
    static let page = Outcome.status(200, ["Content-Type": "text/html"], "\n<!DOCTYPE html><p>Sign in")
    static let redirect = Outcome.status(303, ["Location": "https://shop.test/login"])
    static let lost = Outcome.error(.connection(.lost, reached: true))
    static let timeout = Outcome.error(.timeout(.attempt))
    static let garbled = Outcome.error(.badResponse(NetworkError.BadResponse(host: "shop.test")))
    static let noTokenServer = Outcome.error(
        .interceptor(
            NetworkError.InterceptorFailure(
                interceptor: "AuthorizationInterceptor", reason: "down", kind: .unavailable,
                mayHaveReachedServer: false)))

    /// The outcomes that a server or a network has for all requests alike.
    static let outages: [(name: String, outcome: Outcome)] = [
        ("refused", .error(.connection(.refused))), ("lost", lost), ("timeout", timeout), ("500", .status(500)),
        ("502", .status(502)), ("503", .status(503)), ("503, later", .status(503, later)), ("511", .status(511)),
        ("521", .status(521)), ("page", page), ("redirect", redirect), ("no token server", noTokenServer),
        ("504", .status(504)), ("garbled", garbled),
    ]
    /// The outcomes of a request that is bad for its server.
    static let faults: [(name: String, outcome: Outcome)] = [
        ("502", .status(502)), ("504", .status(504)), ("500", .status(500)), ("lost", lost), ("timeout", timeout),
        ("409, later", .status(409, later)), ("page", page), ("redirect", redirect), ("garbled", garbled),
    ]

    func response(to call: NetworkCall) throws(NetworkError) -> NetworkResponse {
        switch self {
        case .status(let status, let headers, let body):
            return NetworkResponse(statusCode: status, headers: headers, body: Data(body.utf8), url: call.url)
        case .error(let error): throw error
        }
    }
}

/// A time in which calls fail.
struct Outage: Sendable {
    var time: Range<Duration>
    var outcome: Outcome
    /// The share of calls that fail.
    var share = 1.0
}

/// An outbox, its server and the time: the outcome of each call depends on the time, the entry and chance.
final class Weather: Sendable {
    struct Addition: Sendable {
        var time = Duration.zero
        var sku: String
        var lane = ""
    }

    let bench: Bench
    let outbox: Outbox
    private let random: Kept<SplitMix>
    /// The requests with which the server was content, in order, with the time.
    let effects = Kept<[(sku: String, time: Duration)]>([])
    private let added = Kept<[Addition]>([])
    let bad: [String: Outcome]

    init(seed: UInt64 = 1, bad: [String: Outcome] = [:], _ outages: [Outage] = [], noise: Double = 0) throws {
        bench = try Bench()
        let random = Kept(SplitMix(seed: seed))
        (self.random, self.bad) = (random, bad)
        outbox = try Outbox(
            file: bench.file, client: bench.session(), kinds: [bench.sales(), bench.once()],
            clock: bench.clock.networkClock, random: { random.change { Double.random(in: 0..<1, using: &$0) } })
        let chance = Kept(SplitMix(seed: seed &+ 1000))
        bench.server.respond { [effects, clock = bench.clock] (call, received) throws(NetworkError) in
            let now = clock.now
            let die = chance.change { Double.random(in: 0..<1, using: &$0) }
            for outage in outages where outage.time.contains(now) && die < outage.share {
                return try outage.outcome.response(to: call)
            }
            if let fault = bad[received.sku] { return try fault.response(to: call) }
            if die < noise { return try Outcome.outages[Int(die * 1e6) % 6].outcome.response(to: call) }
            effects.add((received.sku, now))
            return .receipt(call)
        }
    }

    func add(_ skus: [String], lane: String = "") async throws {
        for sku in skus {
            try await outbox.add(PostSale(sku: sku), lane: lane)
            added.add(Addition(sku: sku, lane: lane))
        }
    }

    /// Adds entries at their times, and lets the outbox send until a time, or until nothing is left.
    ///
    /// - Parameter endsWithGood: Whether to stop when only bad entries are left.
    func run(until end: Duration, _ additions: [Addition] = [], endsWithGood: Bool = false) async throws {
        var left = additions.sorted { $0.time < $1.time }[...]
        while true {
            let now = bench.clock.now
            while let next = left.first, next.time <= now {
                try await add([next.sku], lane: next.lane)
                left.removeFirst()
            }
            let next = await outbox.pass().next
            if now >= end || left.isEmpty && (next == nil || endsWithGood && missing.isEmpty) { return }
            bench.clock.advance(by: [next, left.first?.time, end].compactMap { $0 }.min().map { $0 - now } ?? .zero)
        }
    }

    var sent: [String] { effects.now.map(\.sku) }

    /// The good entries that are set aside.
    func innocentsAside() async throws -> [String] {
        try await outbox.pending(PostSale.self).filter { $0.entry.state == .setAside }.map(\.request.sku)
            .filter { bad[$0] == nil }
    }

    /// Whether the good entries of a lane were received in another order than that in which they were added.
    var isOrderBroken: Bool {
        let places = Dictionary(sent.enumerated().map { ($1, $0) }) { first, _ in first }
        return Dictionary(grouping: added.now.filter { bad[$0.sku] == nil }, by: \.lane).values.contains { lane in
            let order = lane.compactMap { places[$0.sku] }
            return order != order.sorted()
        }
    }

    /// The good entries that no server has received.
    var missing: [String] { added.now.map(\.sku).filter { bad[$0] == nil && !sent.contains($0) } }
}
