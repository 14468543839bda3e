import Dispatch
import Foundation
import RecordKit
import RecordKitCache
import RecordKitInterceptors
import RecordKitStreaming

/// One run of a plan, and the rules that hold after it.
final class Run: @unchecked Sendable {  // Only the main thread uses it, except for completions, which `queue` orders.
    private enum End {
        /// The whole body, as pieces of any size.
        case whole(String)
        /// An error after a part of the body.
        case failed(NetworkError, String)
        /// The reader stopped.
        case stopped

        /// Whether the call ended while something of it went on.
        var isCut: Bool {
            switch self {
            case .whole, .failed(.status, _), .failed(.connection, _): false
            case .failed, .stopped: true
            }
        }
    }

    private struct Progress {
        var start = Duration.zero
        /// The time of the first cancellation that may have ended the call, and of the first that must have.
        var cancelled: Duration?
        var stopped: Duration?
        var outcomes = 0
        var end: End?
        var time = Duration.zero
        var cancel: (() -> Void)?
        var isReleased = false
    }

    let plan: Plan
    let world: World
    private let server: Server
    private var session: NetworkSession?
    private var managers: [NetworkManager<PlannedRequest>] = []
    private var pageManagers: [NetworkManager<PageRequest>] = []
    private var progress: [Int: Progress] = [:]
    private let breaker = CircuitBreaker(minimum: 3, window: .seconds(9), pause: .seconds(5))
    private var refreshes = 0
    private let queue: DispatchQueue
    private var completions: [(Int, Result<Data, NetworkError>)] = []
    private var hasOpenCompletion = false
    private weak var witness: Witness?
    private weak var weakSession: NetworkSession?

    private static let queue = DispatchQueue(label: "completions")
    /// The folder for downloads.
    static let folder = FileManager.default.temporaryDirectory.appending(path: "simulation-\(getpid())")

    init(_ plan: Plan, keepsStory: Bool = false) {
        self.plan = plan
        world = World(seed: plan.orderSeed, keepsStory: keepsStory)
        world.lags = plan.lags
        world.interrupts = plan.interrupts
        world.preference = plan.preference
        server = Server(plan, world)
        queue = Self.queue
    }

    /// Runs the plan.
    func run() {
        world.begin()
        begin()
        world.run { rest() }
        if world.violation == nil { checkEnds() }
        if world.violation == nil { probe() }
        release()
    }

    // MARK: The calls

    private func begin() {
        let witness = Witness()
        self.witness = witness
        var transport: any NetworkTransport = server
        if plan.hasBreaker { transport = breaker.transport(transport) }
        if plan.hasCache { transport = HTTPCache().transport(transport) }
        let session = NetworkSession(
            NetworkConfiguration(
                transport: transport, interceptors: layers(), completionQueue: queue, clock: world.clock,
                observers: [Observer(server: server)]))
        (self.session, weakSession) = (session, session)
        managers = (0..<2).map { _ in NetworkManager(session) }
        pageManagers = managers.map { _ in NetworkManager(session) }
        for call in plan.calls {
            world.schedule(.event, after: .seconds(call.start)) { self.start(call, witness) }
        }
        if let (time, manager) = plan.cancelAll {
            world.schedule(.cancellation, after: .seconds(time)) { self.cancelAll(manager) }
        }
    }

    private func layers() -> [any NetworkInterceptor] {
        plan.layers.flatMap { layer -> [any NetworkInterceptor] in
            switch layer {
            case .retry:
                return [RetryInterceptor(base: .seconds(1), random: { [world] in Double(world.random.below(100)) / 100 })]
            case .authorization:
                let tokens = TokenSource { [weak self] ended in try await self?.refreshed(ended) ?? Token("") }
                return [AuthorizationInterceptor(tokens, for: "http://a.test")]
            case .rateLimit:
                let probe = RateProbe(world: world)
                return [probe.outer, RateLimitInterceptor(2, longestWait: .seconds(20)), probe.inner]
            case .singleFlight: return [SingleFlightInterceptor(ignoring: ["X-Call"])]
            }
        }
    }

    private func refreshed(_ ended: Token?) async throws -> Token {
        refreshes += 1
        if refreshes > 1 { world.violate("two refreshes at once") }
        defer { refreshes -= 1 }
        let old = ended.flatMap { Int($0.access.dropFirst()) } ?? 0
        world.note("token \(old) is refreshed")
        if old != server.newestToken { world.violate("token \(old) is refreshed again") }
        _ = await world.pause(.event, .seconds(world.random.below(3)))
        if plan.hasTroubles, world.random.oneIn(8) {
            world.note("the refresh fails")
            throw NetworkError.status(NetworkResponse(statusCode: 503, url: URL(filePath: "/")))
        }
        server.newestToken = server.validToken
        world.note("the new token is \(server.newestToken)")
        return Token("t\(server.newestToken)")
    }

    private func start(_ call: Plan.Call, _ witness: Witness) {
        world.note("call \(call.index) starts")
        progress[call.index] = Progress(start: world.now)
        if let (time, way) = call.cancellation {
            world.schedule(.cancellation, after: .seconds(time)) { self.cancel(call.index, way) }
        }
        let manager = managers[call.manager]
        let content: (any NetworkEncodable & Sendable)? =
            switch call.upload {
            case .none: nil
            case .data: Data("body".utf8)
            case .stream: StreamBody(Upload(world: world, fails: false))
            case .failingStream: StreamBody(Upload(world: world, fails: true))
            }
        let request = PlannedRequest(call: call, witness: witness, content: content)
        if call.kind == .completion {
            hasOpenCompletion = true
            let handle = manager.send(request) { [self] in completions.append((call.index, $0)) }
            progress[call.index]?.cancel = { handle.cancel() }
            return
        }
        let pages = pageManagers[call.manager]
        // Held by the run, so that it can be cancelled.
        var sequence: (any Cancellable)?
        let work: () async -> End
        switch call.kind {
        case .value, .completion:
            work = { [self] in end(await manager.result(for: request)) }
        case .open, .upgrade:
            work = { [self] in
                do throws(NetworkError) {
                    let response = try await manager.open(request)
                    return await read(response.stream ?? NetworkBytes(Data()), call) { String(decoding: $0, as: UTF8.self) }
                } catch {
                    return .failed(error, "")
                }
            }
        case .bytes:
            let bytes = manager.bytes(for: request)
            sequence = bytes
            work = { [self] in await read(bytes, call) { String(decoding: $0, as: UTF8.self) } }
        case .lines:
            let lines = manager.lines(for: request)
            sequence = lines
            work = { [self] in await read(lines, call) { $0 + "\n" } }
        case .events:
            let events = manager.events(for: request)
            sequence = events
            work = { [self] in await read(events, call) { "\($0.id)," } }
        case .pages:
            let items = pages.items(
                for: PageRequest(call: call, witness: witness), options: PagingOptions(loadsAhead: call.resource == 1))
            sequence = items
            work = { [self] in await read(items, call) { "\($0)," } }
        case .download:
            let file = Self.folder.appending(path: "\(call.index)")
            work = { [self] in
                defer { try? FileManager.default.removeItem(at: file) }
                do {
                    _ = try await manager.download(request, to: file, resuming: false)
                    return .whole(try String(contentsOf: file, encoding: .utf8))
                } catch let error as NetworkError {
                    return .failed(error, "")
                } catch {
                    world.violate("a downloaded file can't be read: \(error)")
                    return .stopped
                }
            }
        }
        let task = startTask(call.index, work)
        let isHandled = call.cancellation.map { $0.way != .task } ?? false
        progress[call.index]?.cancel = { [sequence] in
            if isHandled, let sequence { sequence.cancel() } else { task.cancel() }
        }
    }

    private func startTask(_ index: Int, _ work: @escaping () async -> End) -> Task<Void, Never> {
        nonisolated(unsafe) let work = work
        return Task { [self] in finish(index, await work()) }
    }

    private func end(_ result: Result<Data, NetworkError>) -> End {
        switch result {
        case .success(let data): .whole(String(decoding: data, as: UTF8.self))
        case .failure(let error): .failed(error, "")
        }
    }

    /// Reads a sequence, slowly if the plan says so, until it is released or ends.
    private func read<Elements: AsyncSequence & Sendable>(
        _ elements: Elements, _ call: Plan.Call, _ text: (Elements.Element) -> String
    ) async -> End where Elements.Failure == NetworkError {
        var all = ""
        do throws(NetworkError) {
            var iterator = elements.makeAsyncIterator()
            while let element = try await iterator.next(isolation: nil) {
                all += text(element)
                if progress[call.index]?.isReleased == true { return .stopped }
                if call.readerDelay > 0 { _ = await world.pause(.event, .seconds(call.readerDelay)) }
            }
            return .whole(all)
        } catch {
            return .failed(error, all)
        }
    }

    private func finish(_ index: Int, _ end: End) {
        progress[index]?.outcomes += 1
        progress[index]?.end = end
        progress[index]?.time = world.now
        progress[index]?.cancel = nil
        switch end {
        case .whole: world.note("call \(index) succeeds")
        case .failed(let error, _):
            noteBreaker(error)
            world.note("call \(index) fails: \(error.name)")
        case .stopped: world.note("the reader of call \(index) stops")
        }
    }

    /// Remembers until when the circuit breaker lets nothing through. It says so in whole seconds.
    private func noteBreaker(_ error: NetworkError) {
        guard case .connection(let failure) = error, let open = failure.cause as? CircuitBreaker.Open else { return }
        let end = Duration.seconds(open.until.timeIntervalSince(world.clock.date()) - 1) + world.now
        server.breakerEnds[failure.host.hasPrefix("a") ? "a.test" : "b.test"] = end
    }

    private func cancel(_ index: Int, _ way: Plan.Cancellation) {
        guard let cancel = progress[index]?.cancel else { return }
        world.note("call \(index) is cancelled by its caller")
        markCancelled(index, isSure: true)
        if way == .release { progress[index]?.isReleased = true }
        cancel()
    }

    private func markCancelled(_ index: Int, isSure: Bool) {
        guard var call = progress[index] else { return }
        server.cancelled.insert(index)
        if call.cancelled == nil { call.cancelled = world.now }
        if isSure, call.stopped == nil { call.stopped = world.now }
        progress[index] = call
    }

    private func cancelAll(_ manager: Int?) {
        world.note("cancelAll() of manager \(manager ?? -1) (-1: session)")
        for call in plan.calls where manager == nil || call.manager == manager {
            // A task that has not begun its call has nothing to cancel.
            let isSent = server.traffic.values.contains { $0.plan == call.index && $0.exchanges > 0 }
            markCancelled(call.index, isSure: isSent || call.kind == .completion)
        }
        guard let manager else { return session?.cancelAll() ?? () }
        managers[manager].cancelAll()
        pageManagers[manager].cancelAll()
    }

    // MARK: Rules

    /// Takes the completions. Checks that calls which have ended hold nothing.
    private func rest() {
        if hasOpenCompletion {
            queue.sync {}
            let ended = completions
            completions = []
            for (index, result) in ended { finish(index, end(result)) }
            hasOpenCompletion = progress.contains { index, progress in
                progress.outcomes == 0 && plan.calls.contains { $0.index == index && $0.kind == .completion }
            }
        }
        guard progress.values.allSatisfy({ $0.outcomes > 0 }), server.open.allSatisfy({ $0.hasEnded }) else { return }
        if world.count(of: .limit) > 0 { world.violate("a timer is left after all calls have ended") }
        if let session, session.inFlight > 0 { world.violate("\(session.inFlight) calls in flight after their end") }
    }

    private func checkEnds() {
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
            if let late = traffic.late, progress[traffic.plan]?.end?.isCut == false {
                world.violate("\(name) reports \(late.rawValue) after its last event")
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
            checkError(error, call, progress)
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
        (plan.layers.contains(.singleFlight) || plan.hasCache) && call.method == 0
    }

    /// Checks that a call does not get an older version than one that a caller knew before it.
    private func checkVersion(_ text: String, _ call: Plan.Call) {
        guard call.method == 0, !plan.layers.contains(.singleFlight), let end = text.firstIndex(of: "v"),
            let version = Int(text[..<end]), let traffic = server.traffic.values.first(where: { $0.plan == call.index }),
            traffic.redirects == 0
        else { return }
        let url = URL(string: "http://\(["a", "b"][call.host]).test/item/\(call.resource)")!
        if let known = traffic.known[url], version < known {
            world.violate("call \(call.index) gets version \(version), but a caller knew version \(known) before")
        }
    }

    private func checkError(_ error: NetworkError, _ call: Plan.Call, _ progress: Progress) {
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
            }
        case .decoding, .badResponse, .tooLarge, .file: world.violate("\(name) fails with \(error)")
        case .invalidRequest:
            if call.upload != .failingStream, call.upload != .stream || progress.cancelled == nil && call.deadline == nil {
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
    private func probe() {
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
    private func release() {
        (session, managers, pageManagers) = (nil, [], [])
        progress = [:]
        if world.violation != nil { return }
        world.run()
        if witness != nil { world.violate("a request is retained after its call has ended") }
        if weakSession != nil { world.violate("the session is retained after all calls have ended") }
    }
}

/// A sequence that can be cancelled.
private protocol Cancellable {
    func cancel()
}

extension NetworkSequence: Cancellable {}

extension NetworkError {
    /// A short name for the story.
    fileprivate var name: String {
        switch self {
        case .invalidRequest: "invalid request"
        case .interceptor(let failure): "by \(failure.interceptor)"
        case .connection: "no connection"
        case .timedOut(let timeout): timeout.limit == .deadline ? "deadline" : "timeout"
        case .cancelled: "cancelled"
        case .status(let response): "status \(response.statusCode)"
        default: "\(self)"
        }
    }
}

/// Checks that a rate limit lets through no more than it promises: two calls a second after a burst of two.
final class RateProbe: @unchecked Sendable {  // Only the main thread uses it.
    private let world: World
    private var passes: [String: [Duration]] = [:]

    init(world: World) { self.world = world }

    var outer: Part { Part(probe: self, isInner: false) }
    var inner: Part { Part(probe: self, isInner: true) }

    struct Part: NetworkInterceptor {
        fileprivate let probe: RateProbe
        let isInner: Bool

        func intercept(_ call: NetworkCall, next: NetworkCall.Next) async throws(NetworkError) -> NetworkResponse {
            if isInner { probe.pass(call.url.host ?? "") }
            return try await next(call)
        }
    }

    private func pass(_ host: String) {
        passes[host, default: []].append(world.now)
        let recent = passes[host]!.count { $0 > world.now - .seconds(1) }
        if recent > 4, !world.lags { world.violate("\(recent) calls to \(host) pass the rate limit in a second") }
    }
}
