/// What happens in a run, apart from the order.
struct Plan {
    enum Layer: CaseIterable { case retry, authorization, rateLimit, singleFlight }

    enum Kind: CaseIterable { case value, completion, open, upgrade, bytes, lines, events, pages, download }

    enum Upload { case none, data, stream, failingStream }

    enum Cancellation { case task, handle, release }

    struct Call {
        let index: Int
        var kind: Kind
        /// The numbers of the host, the resource and the manager.
        var host = 0, resource = 0, manager = 0
        var method = 0
        var start = 0
        var timeout = 3
        var deadline: Int?
        var upload = Upload.none
        var cancellation: (time: Int, way: Cancellation)?
        /// The seconds that the reader waits after each chunk.
        var readerDelay = 0
    }

    let seed: UInt64
    /// The seed of the order.
    var orderSeed: UInt64
    var calls: [Call]
    var layers: [Layer] = []
    var slots: Int?
    var hasCache = false, hasBreaker = false
    var cancelAll: (time: Int, manager: Int?)?
    var hasTroubles = true
    var lags = false, interrupts = false

    init(seed: UInt64) {
        var random = Generator(seed, 1)
        self.seed = seed
        orderSeed = seed
        calls = (0..<1 + random.below(5)).map { index in
            var call = Call(index: index, kind: random.pick(.value, .value, .completion, .open))
            if random.oneIn(3) { call.kind = random.pick(.upgrade, .bytes, .lines, .events, .pages) }
            if random.oneIn(40) { call.kind = .download }
            call.host = random.oneIn(4) ? 1 : 0
            call.resource = random.below(2)
            call.manager = random.below(2)
            call.start = random.below(4)
            call.timeout = 1 + random.below(3)
            if random.oneIn(3) { call.deadline = 1 + random.below(6) }
            if [.value, .completion, .open].contains(call.kind), random.oneIn(3) {
                call.method = 1 + random.below(2)
                call.upload = .data
                if random.oneIn(8) { call.upload = random.pick(.stream, .failingStream) }
            }
            if random.oneIn(3) {
                call.cancellation = (random.below(7), random.pick(.task, .handle, .release))
            }
            call.readerDelay = random.oneIn(3) ? 1 : 0
            return call
        }
        layers = Layer.allCases.filter { _ in random.oneIn(2) }.shuffled(using: &random)
        slots = random.oneIn(2) ? 1 + random.below(2) : nil
        if random.oneIn(8) { cancelAll = (random.below(7), random.pick(nil, 0, 1)) }
        hasCache = random.oneIn(3)
        if hasCache, random.oneIn(2) {
            // Calls for one resource, so that stored responses are used and changed.
            for index in calls.indices {
                (calls[index].host, calls[index].resource, calls[index].start) = (0, 0, random.below(9))
                if calls[index].kind != .completion { calls[index].kind = random.pick(.value, .open) }
            }
            hasTroubles = random.oneIn(3)
            layers.removeAll { $0 == .singleFlight }
        }
        hasBreaker = random.oneIn(4)
        lags = random.oneIn(3)
        interrupts = random.oneIn(2)
    }

    /// Smaller plans that may break the same rule.
    var smaller: [Plan] {
        var plans: [Plan] = []
        func add(_ change: (inout Plan) -> Void) {
            var plan = self
            change(&plan)
            plans.append(plan)
        }
        for index in calls.indices where calls.count > 1 { add { $0.calls.remove(at: index) } }
        for index in layers.indices { add { $0.layers.remove(at: index) } }
        if slots != nil { add { $0.slots = nil } }
        if hasCache { add { $0.hasCache = false } }
        if hasBreaker { add { $0.hasBreaker = false } }
        if cancelAll != nil { add { $0.cancelAll = nil } }
        if hasTroubles { add { $0.hasTroubles = false } }
        if lags { add { $0.lags = false } }
        if interrupts { add { $0.interrupts = false } }
        for (index, call) in calls.enumerated() {
            if call.cancellation != nil { add { $0.calls[index].cancellation = nil } }
            if call.deadline != nil { add { $0.calls[index].deadline = nil } }
            if call.upload != .none { add { $0.calls[index].upload = .none } }
            if call.readerDelay > 0 { add { $0.calls[index].readerDelay = 0 } }
            if call.start > 0 { add { $0.calls[index].start = 0 } }
            if call.kind != .value { add { $0.calls[index].kind = .value } }
            if call.method > 0, call.upload == .none { add { $0.calls[index].method = 0 } }
        }
        return plans
    }

    /// Lines that describe the plan.
    var lines: [String] {
        var lines = ["layers, outermost first: \(layers.map { "\($0)" }), slots: \(slots.map { "\($0)" } ?? "none")"]
        if hasCache { lines[0] += ", cache" }
        if hasBreaker { lines[0] += ", circuit breaker" }
        lines[0] += ", \(lags ? "slow" : "quick") machine\(interrupts ? ", events in the middle of jobs" : "")"
        for call in calls {
            var line = "call \(call.index): \(call.kind) with \(["GET", "POST", "PUT"][call.method]) of "
            line += "\(["a", "b"][call.host]).test/\(call.resource) by manager \(call.manager) at \(call.start) s, "
            line += "timeout \(call.timeout) s"
            if let deadline = call.deadline { line += ", deadline after \(deadline) s" }
            if call.upload != .none { line += ", body: \(call.upload)" }
            if let (time, way) = call.cancellation { line += ", cancelled at \(time) s by \(way)" }
            if call.readerDelay > 0 { line += ", slow reader" }
            lines.append(line)
        }
        if let (time, manager) = cancelAll {
            lines.append("cancelAll() of \(manager.map { "manager \($0)" } ?? "the session") at \(time) s")
        }
        return lines
    }
}
