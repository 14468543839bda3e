import RecordKit
import RecordKitTesting
import TestSupport
import XCTest

@testable import RecordKitOutbox

/// Outages and bad entries: which of them sets an entry aside, and which only delays it.
final class ScenarioTests: TimedTestCase {
    private static let isLong = ProcessInfo.processInfo.environment["RECORDKIT_OUTBOX_KILLS"] != nil
    override var timeLimit: TimeInterval { Self.isLong ? 3600 : 300 }

    private static let hour = Duration.seconds(3600)

    /// Eight hours in which every call fails, with entries that are added meanwhile.
    private func night(_ name: String, _ outcome: Outcome, lanes: Int, bad: [String: Outcome]) async throws {
        let night = Self.hour..<Self.hour * 9
        let weather = try Weather(seed: 7, bad: bad, [Outage(time: night, outcome: outcome)])
        var additions = (0..<20).map { number in
            Weather.Addition(time: Self.hour + .seconds(number * 1200), sku: "\(number)", lane: "\(number % lanes)")
        }
        if !bad.isEmpty { additions.append(Weather.Addition(time: Self.hour - .seconds(10), sku: "bad", lane: "0")) }
        try await weather.run(until: Self.hour * 9, additions)
        let entries = try await weather.outbox.entries()
        XCTAssertEqual(entries.count, additions.count, name)
        XCTAssertTrue(entries.allSatisfy { $0.state == .waiting }, name)
        XCTAssertTrue(entries.contains { $0.note != nil }, name)
        XCTAssertEqual(weather.sent, [], name)
        try await weather.run(until: Self.hour * 10)
        XCTAssertEqual(weather.missing, [], name)
        XCTAssertFalse(weather.isOrderBroken, name)
    }

    func testANightSetsNothingAside() async throws {
        for (name, outcome) in Outcome.outages.prefix(12) {
            for lanes in [1, 4] {
                for bad in [[:], ["bad": Outcome.status(502)]] where Self.isLong || bad.isEmpty == (lanes == 1) {
                    try await night("\(name), \(lanes) lanes, bad: \(bad.keys)", outcome, lanes: lanes, bad: bad)
                }
            }
        }
    }

    func testABadHeadIsOutOfTheWayWithinHalfAnHour() async throws {
        for (name, fault) in Outcome.faults {
            let weather = try Weather(bad: ["bad": fault])
            try await weather.add(["bad", "1", "2", "3", "4", "5"])
            try await weather.run(until: .seconds(1800))
            XCTAssertEqual(weather.sent, ["1", "2", "3", "4", "5"], name)
            let entry = try await weather.outbox.entries().first
            XCTAssertEqual(entry?.state, .setAside, name)
            XCTAssertEqual(entry?.attempts, 15, name)
            XCTAssertNotNil(entry?.note, name)
        }
        // These are not about the request, so it stays, and says so.
        for (name, fault) in [("429", Outcome.status(429)), ("503, later", .status(503, Outcome.later))] {
            let weather = try Weather(bad: ["bad": fault])
            try await weather.add(["bad", "1"])
            // It holds up its own lane alone.
            for number in 2..<12 { try await weather.add(["\(number)"], lane: "\(number % 2)") }
            try await weather.run(until: Self.hour * 8)
            XCTAssertEqual(weather.sent.sorted(), (2..<12).map { "\($0)" }.sorted(), name)
            assertEqual(await weather.outbox.status(), OutboxStatus(waiting: 2, pause: .serverBusy), name)
            assertEqual(try await weather.outbox.entries().first?.note?.contains(name.prefix(3)), true)
        }
    }

    func testTwoBadHeadsInARowAreOutOfTheWayWithinThreeHours() async throws {
        for (name, fault) in Outcome.faults {
            let weather = try Weather(bad: ["bad": fault, "worse": fault])
            try await weather.add(["bad", "worse"] + (1...6).map { "\($0)" })
            try await weather.run(until: Self.hour * 3)
            XCTAssertEqual(weather.sent, (1...6).map { "\($0)" }, name)
            assertEqual(await weather.outbox.status(), OutboxStatus(setAside: 2), name)
        }
    }

    func testTwoBadLanesHoldUpNoOther() async throws {
        let weather = try Weather(bad: ["bad": .status(500), "worse": .lost])
        try await weather.add(["bad"], lane: "bad")
        try await weather.add(["worse"], lane: "worse")
        let additions = (0..<144).map { Weather.Addition(time: .seconds($0 * 600), sku: "\($0)", lane: "good") }
        try await weather.run(until: Self.hour * 24, additions)
        XCTAssertEqual(weather.sent, additions.map(\.sku))
        for (addition, effect) in zip(additions, weather.effects.now) {
            XCTAssertLessThan(effect.time - addition.time, .seconds(60))
        }
    }

    /// A server that comes back, and still fails a share of its calls.
    func testTheRaggedEndOfAnOutage() async throws {
        let count = Self.isLong ? 50 : 10
        for (share, allowed) in [(0.0, 0), (0.3, 4), (0.5, 10), (0.7, 15)] {
            var broken = 0
            for seed in 0..<count {
                let outages = [
                    Outage(time: .zero..<Self.hour * 2, outcome: .status(502)),
                    Outage(time: Self.hour * 2..<Self.hour * 100, outcome: .status(502), share: share),
                ]
                let weather = try Weather(seed: UInt64(seed), outages)
                try await weather.add((0..<10).map { "\($0)" })
                try await weather.run(until: Self.hour * 24)
                assertEqual(try await weather.outbox.entries().map(\.state), [], "\(share), seed \(seed)")
                if weather.isOrderBroken { broken += 1 }
            }
            print("order broken after an outage, \(share) of calls fail: \(broken) of \(count)")
            XCTAssertLessThanOrEqual(broken, (allowed * count + 49) / 50, "\(share)")
        }
    }

    func testTheEndpointOfAKindIsDownForTwelveHours() async throws {
        let bad = Dictionary(uniqueKeysWithValues: (0..<20).map { ("\($0)", Outcome.status(500)) })
        for seed in 0..<(Self.isLong ? 10 : 1) {
            let weather = try Weather(seed: UInt64(seed), bad: bad)
            for number in 0..<20 { try await weather.add(["\(number)"], lane: "\(number % 3)") }
            for minute in 0..<720 {
                try await weather.outbox.add(PostOnce(sku: "once \(minute)"), lane: "other")
                try await weather.run(until: .seconds(minute * 60))
            }
            assertEqual(await weather.outbox.status().setAside, 0, "\(seed)")
            assertEqual(await weather.outbox.status().waiting, 20, "\(seed)")
            XCTAssertEqual(weather.bench.server.count { $0.path == "/once" }, 720)
        }
    }

    func testAConflictAfterALostResponseMeansThatTheFirstAttemptIsInProgress() async throws {
        let weather = try Weather()
        let statuses = Kept(Array(repeating: 504, count: 20) + [409, 409])
        weather.bench.server.respond { (call, _) throws(NetworkError) in
            let status = statuses.change { $0.isEmpty ? 201 : $0.removeFirst() }
            return NetworkResponse(statusCode: status, body: Data("{\"number\":7}".utf8), url: call.url)
        }
        try await weather.add(["a"])
        try await weather.run(until: Self.hour * 3)
        XCTAssertEqual(weather.bench.handled.now, ["a: 7"])
        XCTAssertEqual(weather.bench.server.count, 23)
        // A server without keys says "exists already", which is the answer at the eighth time.
        statuses.set([504] + Array(repeating: 409, count: 20))
        try await weather.add(["b"])
        try await weather.run(until: Self.hour * 6)
        XCTAssertEqual(weather.bench.handled.now.last, "b: 409")
        XCTAssertEqual(weather.bench.server.count, 23 + 9)
        // The first attempt can't be in progress.
        statuses.set([409])
        try await weather.add(["c"])
        try await weather.run(until: Self.hour * 6)
        XCTAssertEqual(weather.bench.handled.now.last, "c: 409")
    }

    func testManyLanesThatAllFailMakeFewCalls() async throws {
        for lanes in [100, 1000] {
            let weather = try Weather([Outage(time: .zero..<Self.hour * 9, outcome: .status(500))])
            for lane in 0..<lanes { try await weather.add(["\(lane)"], lane: "\(lane)") }
            try await weather.run(until: Self.hour)
            print("calls of \(lanes) lanes in an hour: \(weather.bench.server.count)")
            XCTAssertLessThanOrEqual(weather.bench.server.count, 200)
        }
    }

    /// Random queues, outages and bad entries. Nothing that is good is set aside or lost, whatever happens.
    func testRandomSchedules() async throws {
        let count = Self.isLong ? 200 : 20
        var broken = 0
        for seed in 0..<count {
            var random = SplitMix(seed: UInt64(seed) &* 977)
            func pick<Value>(_ values: [Value]) -> Value { values.randomElement(using: &random)! }
            let lanes = Int.random(in: 1...4, using: &random)
            var additions = (0..<Int.random(in: 4...16, using: &random)).map { number in
                Weather.Addition(
                    time: .seconds(Int.random(in: 0..<14_400, using: &random)), sku: "\(number)",
                    lane: "\(Int.random(in: 0..<lanes, using: &random))")
            }
            additions.sort { $0.time < $1.time }
            var bad: [String: Outcome] = [:]
            for _ in 0..<Int.random(in: 0...2, using: &random) {
                bad[pick(additions).sku] = pick(Array(Outcome.faults.prefix(7))).outcome
            }
            let outages = (0..<Int.random(in: 0...3, using: &random)).map { _ in
                let start = Duration.seconds(Int.random(in: 0..<18_000, using: &random))
                let length = Duration.seconds(30 * pow(960, Double.random(in: 0...1, using: &random)))
                return Outage(
                    time: start..<start + length, outcome: pick(Outcome.outages).outcome, share: pick([1, 1, 0.5, 0.9]))
            }
            let noise = pick([0, 0, 0.1, 0.25, 0.5])
            let weather = try Weather(seed: UInt64(seed), bad: bad, outages, noise: noise)
            try await weather.run(until: Self.hour * 61, additions, endsWithGood: true)
            XCTAssertEqual(weather.missing, [], "seed \(seed)")
            assertEqual(try await weather.innocentsAside(), [], "seed \(seed)")
            let isTotal = noise == 0 && outages.allSatisfy { $0.share == 1 }
            if weather.isOrderBroken {
                broken += 1
                XCTAssertFalse(isTotal, "seed \(seed): the order is broken")
            }
        }
        print("random schedules whose order is broken: \(broken) of \(count)")
        XCTAssertLessThanOrEqual(broken, Self.isLong ? 13 : 3)
    }
}
