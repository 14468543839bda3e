import Foundation
import RecordKit
import RecordKitInterceptors

/// What holds after each run, whatever the order.
extension Run {
    /// Takes the completions. Checks that calls which have ended hold nothing.
    func rest() {
        if hasOpenCompletion {
            Self.queue.sync {}
            let ended = completions
            completions = []
            for (index, result) in ended { finish(index, end(result)) }
            hasOpenCompletion = progress.contains { index, progress in
                progress.outcomes == 0 && plan.calls.contains { $0.index == index && $0.kind == .completion }
            }
        }
        if world.isIdle {
            for end in server.held { end() }
            server.held = []
        }
        guard progress.values.allSatisfy({ $0.outcomes > 0 }), server.open.allSatisfy({ $0.hasEnded }) else { return }
        if world.count(of: .limit) > 0 { world.violate("a timer is left after all calls have ended") }
        if let session, session.inFlight > 0 { world.violate("\(session.inFlight) calls in flight after their end") }
    }

    func checkEnds() {
        for call in plan.calls {
            guard let progress = progress[call.index] else { continue }
            if progress.outcomes != 1 { world.violate("call \(call.index) has \(progress.outcomes) outcomes") }
            if let end = progress.end { check(call, progress, end) }
        }
        for traffic in server.traffic.values.sorted(by: { $0.plan < $1.plan }) {
            let name = "call \(traffic.plan)"
            if traffic.built != 1 || traffic.read != 1 {
                world.violate("\(name) reports \(traffic.built) times its start and \(traffic.read) times its end")
            }
            // The end of a call may overtake what happens at the same moment.
            if let late = traffic.late, let ended = progress[traffic.plan], let end = ended.end,
                !end.isCut || !plan.lags && late.time > ended.time
            {
                world.violate("\(name) reports \(late.kind.rawValue) after its last event")
            }
            let most = (traffic.attempts + traffic.redirects) * (plan.hasCache ? 2 : 1)
            let least = plan.hasCache ? 0 : traffic.answeredAttempts + traffic.redirects
            if traffic.exchanges > most || traffic.exchanges < least {
                world.violate("\(name) had \(traffic.exchanges) exchanges, but reports \(traffic.attempts) attempts")
            }
        }
        if !server.open.allSatisfy({ $0.hasEnded }) { world.violate("an exchange goes on after its call has ended") }
        if world.count(of: .limit) + world.count(of: .sleep) > 0 { world.violate("timers are left") }
    }

    private func check(_ call: Plan.Call, _ progress: Progress, _ end: End) {
        let name = "call \(call.index)"
        switch end {
        case .stopped: break
        case .whole(let text):
            switch call.kind {
            case .value, .completion, .open, .bytes, .download:
                if text.isEmpty || text == "no" && call.kind == .open { break }
                checkVersion(text, call)
                guard let sender = server.bodies[text], sender == call.index || isShared(call) else {
                    return world.violate("\(name) succeeds with a body that was never sent to it whole: \(text)")
                }
            case .events, .pages: checkNumbers(text, call, isWhole: call.kind == .pages)
            case .lines, .upgrade: break
            }
        case .failed(let error, let text):
            if call.kind == .events || call.kind == .pages { checkNumbers(text, call, isWhole: false) }
            checkError(error, after: text, call, progress)
        }
        let isBuffered = call.kind == .value || call.kind == .completion
        guard isBuffered, !plan.lags else { return }
        if let stopped = progress.stopped, progress.time > max(stopped, progress.start) {
            world.violate("\(name) ends \(progress.time - stopped) after its cancellation")
        }
        if let deadline = call.deadline, progress.time > progress.start + .seconds(deadline) {
            world.violate("\(name) ends after its deadline")
        }
    }

    /// Whether the call may use the exchange of another call.
    private func isShared(_ call: Plan.Call) -> Bool {
        plan.layers.contains(.singleFlight) && call.method == 0 || plan.hasCache
    }

    /// Checks that a call does not get an older version than one that a caller knew before it.
    private func checkVersion(_ text: String, _ call: Plan.Call) {
        guard call.method == 0, call.kind != .download, !plan.layers.contains(.singleFlight),
            let end = text.firstIndex(of: "v"),
            let version = Int(text[..<end]),
            let traffic = server.traffic.values.first(where: { $0.plan == call.index }),
            traffic.redirects == 0
        else { return }
        let url = URL(string: "http://\(["a", "b"][call.host]).test/item/\(call.resource)")!
        if let known = traffic.known[url], version < known {
            world.violate("call \(call.index) gets version \(version), but a caller knew version \(known) before")
        }
    }

    private func checkError(_ error: NetworkError, after text: String, _ call: Plan.Call, _ progress: Progress) {
        let name = "call \(call.index)"
        switch error {
        case .cancelled:
            if progress.cancelled == nil { world.violate("\(name) ends as cancelled, but was not") }
        case .timedOut(let timeout):
            if timeout.limit == .deadline {
                guard let deadline = call.deadline, progress.time >= progress.start + .seconds(deadline) else {
                    return world.violate("\(name) exceeds a deadline that has not passed")
                }
            } else if !isShared(call), progress.time < progress.start + .seconds(call.timeout) {
                world.violate("\(name) exceeds its timeout too early")
            } else if !text.isEmpty, call.kind != .events, call.kind != .pages, !plan.lags,
                let last = server.lastChunk[call.index],
                progress.time < last + .seconds(call.timeout)
            {
                world.violate("\(name) times out, although its server was not silent for so long")
            }
        case .decoding, .badResponse, .tooLarge, .file: world.violate("\(name) fails with \(error)")
        case .invalidRequest:
            if call.upload != .failingStream,
                call.upload != .stream || progress.cancelled == nil && call.deadline == nil
            {
                world.violate("\(name) fails with \(error)")
            }
        default: break
        }
        // An attempt that others share goes on without the call.
        let isSingle = ![.events, .pages, .download].contains(call.kind) && !isShared(call)
        if isSingle, !error.mayHaveReachedServer, server.reached[call.index] ?? 0 > 0 {
            world.violate("\(name) reached a server, but its error says that it reached none: \(error)")
        }
    }

    /// Checks that elements arrive in order, each once.
    private func checkNumbers(_ text: String, _ call: Plan.Call, isWhole: Bool) {
        let numbers = text.split(separator: ",").compactMap { Int($0) }
        let first = call.kind == .pages ? 0 : 1
        if numbers != Array(first..<first + numbers.count) || isWhole && numbers.count != 6 {
            world.violate("call \(call.index) reads the elements \(text)")
        }
    }

    /// Checks that all slots are free, and that no circuit breaker stays open: new calls get through.
    func probe() {
        server.isProbing = true
        (world.lags, world.interrupts) = (false, false)
        let transport = plan.hasBreaker ? breaker.transport(server) : server
        // The first call closes the circuit breaker, whose pause is over then.
        world.schedule(.event, after: .seconds(9)) {}
        for count in [1, plan.slots ?? 1] where world.violation == nil {
            world.run()
            (server.open, server.mostOpen) = ([], [:])
            let configuration = NetworkConfiguration(transport: transport, clock: world.clock)
            let manager = NetworkManager<PlannedRequest>(configuration)
            for host in Array(repeating: [0, 1], count: count).joined() {
                let request = PlannedRequest(
                    call: Plan.Call(index: 99, kind: .value, host: host, timeout: 60), witness: Witness(), content: nil)
                Task { _ = await manager.result(for: request) }
            }
            world.run {
                for probe in server.probes { probe.resume() }
                server.probes = []
            }
            for host in ["a.test", "b.test"] where server.mostOpen[host] ?? 0 < count {
                world.violate("\(count) calls to \(host) don't get through at once after all others have ended")
            }
        }
    }

    /// Releases the session and its calls, and checks that nothing holds them.
    func release() {
        (session, managers, pageManagers) = (nil, [], [])
        progress = [:]
        if world.violation != nil { return }
        world.run()
        if witness != nil { world.violate("a request is retained after its call has ended") }
        if weakSession != nil { world.violate("the session is retained after all calls have ended") }
    }
}

/// Checks that a rate limit lets through no more than it promises: two calls a second after a burst of two.
final class RateProbe: NetworkInterceptor, @unchecked Sendable {  // Only the main thread uses it.
    private let world: World
    private var passes: [String: [Duration]] = [:]

    init(world: World) { self.world = world }

    func intercept(_ call: NetworkCall, next: NetworkCall.Next) async throws(NetworkError) -> NetworkResponse {
        let host = call.url.host ?? ""
        passes[host, default: []].append(world.now)
        let recent = passes[host]!.count { $0 > world.now - .seconds(1) }
        if recent > 4, !world.lags { world.violate("\(recent) calls to \(host) pass the rate limit in a second") }
        return try await next(call)
    }
}
