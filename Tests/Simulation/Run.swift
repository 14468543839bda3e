import Dispatch
import Foundation
import RecordKit
import RecordKitCache
import RecordKitInterceptors
import RecordKitStreaming

/// One run of a plan, and the rules that hold after it.
final class Run: @unchecked Sendable {  // Only the main thread uses it, except for completions, which ``queue`` orders.
    enum End {
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

    struct Progress {
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
    let server: Server
    var session: NetworkSession?
    var managers: [NetworkManager<PlannedRequest>] = []
    var pageManagers: [NetworkManager<PageRequest>] = []
    var progress: [Int: Progress] = [:]
    let breaker = CircuitBreaker(minimumCalls: 3, window: .seconds(9), openDuration: .seconds(5))
    var refreshes = 0
    var completions: [(Int, Result<Data, NetworkError>)] = []
    var hasOpenCompletion = false
    weak var witness: Witness?
    weak var weakSession: NetworkSession?

    static let queue = DispatchQueue(label: "completions")
    /// The folder for downloads.
    static let folder = FileManager.default.temporaryDirectory.appending(path: "simulation-\(getpid())")

    init(_ plan: Plan, keepsStory: Bool = false) {
        self.plan = plan
        world = World(seed: plan.orderSeed, keepsStory: keepsStory)
        world.lags = plan.lags
        world.interrupts = plan.interrupts
        server = Server(plan, world)
    }

    /// Runs the plan.
    func run() {
        begin()
        world.run { rest() }
        if world.violation == nil { checkEnds() }
        if world.violation == nil { probe() }
        release()
    }

    // MARK: The calls

    func begin() {
        let witness = Witness()
        self.witness = witness
        var transport: any NetworkTransport = server
        if plan.hasBreaker { transport = breaker.transport(transport) }
        if plan.hasCache { transport = HTTPCache().transport(transport) }
        let session = NetworkSession(
            NetworkConfiguration(
                transport: transport, cookies: server.cookies, interceptors: layers(), completionQueue: Self.queue,
                clock: world.clock,
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

    func layers() -> [any NetworkInterceptor] {
        plan.layers.flatMap { layer -> [any NetworkInterceptor] in
            switch layer {
            case .retry:
                return [
                    RetryInterceptor(
                        backoff: Backoff(
                            base: .seconds(1), random: { [world] in Double(world.random.below(100)) / 100 }))
                ]
            case .authorization:
                let tokens = TokenSource { [weak self] ended in try await self?.refreshed(ended) ?? TokenSet("") }
                return [AuthorizationInterceptor(tokens, for: "http://a.test")]
            case .rateLimit:
                return [RateLimitInterceptor(2, longestWait: .seconds(20)), RateProbe(world: world)]
            case .singleFlight: return [SingleFlightInterceptor(ignoring: ["X-Call"])]
            }
        }
    }

    func refreshed(_ ended: TokenSet?) async throws -> TokenSet {
        refreshes += 1
        if refreshes > 1 { world.violate("two refreshes at once") }
        defer { refreshes -= 1 }
        let old = ended.flatMap { Int($0.accessToken.dropFirst()) } ?? 0
        world.note("token \(old) is refreshed")
        if old != server.newestToken { world.violate("token \(old) is refreshed again") }
        _ = await world.pause(.event, .seconds(world.random.below(3)))
        if plan.hasTroubles, world.random.oneIn(8) {
            world.note("the refresh fails")
            throw NetworkError.status(NetworkResponse(statusCode: 503, url: URL(filePath: "/")))
        }
        server.newestToken = server.validToken
        world.note("the new token is \(server.newestToken)")
        return TokenSet("t\(server.newestToken)")
    }

    func start(_ call: Plan.Call, _ witness: Witness) {
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
                    return await read(response.stream ?? NetworkBytes(Data()), call) {
                        String(decoding: $0, as: UTF8.self)
                    }
                } catch {
                    return .failed(error, "")
                }
            }
        case .bytes:
            let bytes = manager.chunks(for: request)
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
        nonisolated(unsafe) let outcome = work
        let task = Task { [self] in finish(call.index, await outcome()) }
        let isHandled = call.cancellation.map { $0.way != .task } ?? false
        progress[call.index]?.cancel = { [sequence] in
            if isHandled, let sequence { sequence.cancel() } else { task.cancel() }
        }
    }

    func end(_ result: Result<Data, NetworkError>) -> End {
        switch result {
        case .success(let data): .whole(String(decoding: data, as: UTF8.self))
        case .failure(let error): .failed(error, "")
        }
    }

    /// Reads a sequence, slowly if the plan says so, until it is released or ends.
    func read<Elements: AsyncSequence & Sendable>(
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

    func finish(_ index: Int, _ end: End) {
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
    func noteBreaker(_ error: NetworkError) {
        guard case .connection(let failure) = error, let open = failure.cause as? CircuitBreaker.OpenError else {
            return
        }
        let end = Duration.seconds(open.until.timeIntervalSince(world.clock.date()) - 1) + world.now
        server.breakerEnds[failure.host.hasPrefix("a") ? "a.test" : "b.test"] = end
    }

    func cancel(_ index: Int, _ way: Plan.Cancellation) {
        guard let cancel = progress[index]?.cancel else { return }
        world.note("call \(index) is cancelled by its caller")
        markCancelled(index, isSure: true)
        if way == .release { progress[index]?.isReleased = true }
        cancel()
    }

    func markCancelled(_ index: Int, isSure: Bool) {
        guard var call = progress[index] else { return }
        server.cancelled.insert(index)
        if call.cancelled == nil { call.cancelled = world.now }
        if isSure, call.stopped == nil { call.stopped = world.now }
        progress[index] = call
    }

    func cancelAll(_ manager: Int?) {
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
