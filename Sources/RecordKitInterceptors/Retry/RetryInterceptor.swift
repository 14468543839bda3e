public import RecordKit

/// Sends a call again that failed for a reason that may pass.
///
/// Such are connections that were lost, refused or not to be had, timeouts of an attempt, and the statuses 408, 425,
/// 429, 500, 502, 503, 504.
///
/// A call is sent again only where sending it twice is safe: its method is GET, HEAD, PUT, DELETE, OPTIONS, TRACE or
/// QUERY, or it has an `Idempotency-Key`, or the error says that nothing reached the server; and its body can be sent
/// again. A request says otherwise with ``RequestOptions/retry``.
///
/// The wait before a retry grows with each, and is drawn at random between nothing and that (full jitter), so that
/// callers who failed together do not come back together. A server that names a time, with `Retry-After` or
/// `RateLimit-Reset`, gets that time.
///
/// A retry that would begin after the call's deadline is not waited for: the call ends at once with the answer or the
/// error of its last attempt. So does one whose ``RetryBudget`` is spent.
public struct RetryInterceptor: NetworkInterceptor {
    private let attempts: Int
    private let backoff: Backoff
    private let budget: RetryBudget?
    private let idempotencyKey: (@Sendable (NetworkCall) -> String?)?
    private let connectionWait: ConnectionWait?
    private let mayPass: (@Sendable (NetworkResponse) -> Bool)?

    /// - Parameters:
    ///   - attempts: how many attempts a call may have, the first included.
    ///   - base: the longest wait before the second attempt; before each later one it is twice as long.
    ///   - cap: the longest of these waits, however many attempts there were; see `ceiling` for those that a server names.
    ///   - floor: the shortest wait, also where a server says `Retry-After: 0`, as some do while they shed load.
    ///   - ceiling: the longest wait that a server may name. One that names more gets no retry: its answer is given
    ///     back at once.
    ///   - budget: how much extra load retries may make; nil sets no limit.
    ///   - idempotencyKey: makes the `Idempotency-Key` of a POST or PATCH that has none, which makes it safe to send
    ///     twice to a server that knows that header; the key is the same on each attempt. Nil, or a key of nil, adds
    ///     none. See ``randomKey``.
    ///   - connectionWait: how to wait for the network to come back, when there was no connection at all: no network,
    ///     no address for the name, nobody who listens. That costs nothing of the budget, and without a deadline it
    ///     may last for ever. Nil does not wait.
    ///   - mayPass: whether what an answer says may pass, in the place of the statuses above; such an answer is retried
    ///     as they are. Asked of every answer.
    ///   - random: gives numbers from 0 to below 1.
    public init(
        attempts: Int = 3, base: Duration = .milliseconds(500), cap: Duration = .seconds(30),
        floor: Duration = .milliseconds(100), ceiling: Duration = .seconds(60), budget: RetryBudget? = RetryBudget(),
        idempotencyKey: (@Sendable (NetworkCall) -> String?)? = nil, connectionWait: ConnectionWait? = nil,
        mayPass: (@Sendable (NetworkResponse) -> Bool)? = nil,
        random: @escaping @Sendable () -> Double = { .random(in: 0..<1) }
    ) {
        self.attempts = attempts
        backoff = Backoff(
            base: base.limited, cap: cap.limited, floor: floor.limited, ceiling: ceiling.limited, random: random)
        self.budget = budget
        self.idempotencyKey = idempotencyKey
        self.connectionWait = connectionWait
        self.mayPass = mayPass
    }

    public func intercept(_ call: NetworkCall, next: NetworkCall.Next) async throws(NetworkError) -> NetworkResponse {
        var call = begun(call)
        var attempt = 1
        while true {
            let outcome: Outcome
            do {
                outcome = .success(try await next(call))
            } catch {
                outcome = .failure(error)
            }
            guard isTransient(outcome), let pause = pause(after: outcome, attempt: attempt, of: call) else {
                return try outcome.get()
            }
            try await wait(pause, after: outcome, of: call)
            call = call.nextAttempt()
            attempt += 1
        }
    }

    private func begun(_ call: NetworkCall) -> NetworkCall {
        budget?.earn(call.origin, now: call.clock.now())
        guard let idempotencyKey, call.method == .post || call.method == .patch,
            !call.hasIdempotencyKey
        else { return call }
        // An interceptor further out may send the call again too.
        let key = call.shared(IdempotencyKey.self) { idempotencyKey(call) ?? "" }
        if key.isEmpty { return call }
        var call = call
        call.headers[Self.keyHeader] = key
        return call
    }

    private func isTransient(_ outcome: Outcome) -> Bool {
        switch outcome {
        case .success(let response):
            mayPass?(response) ?? NetworkError.status(response).isTransient
        case .failure(let error): error.isTransient
        }
    }

    /// What to wait before one more attempt; nil when there is to be none.
    private func pause(
        after outcome: Outcome, attempt: Int, of call: NetworkCall
    ) -> Backoff.Pause? {
        guard attempt < attempts, call.canBeSentAgain(after: outcome),
            let pause = backoff.pause(after: outcome, attempt: attempt, of: call),
            call.timeLeft.map({ pause.time < $0 }) ?? true
        else { return nil }
        // What waits for a connection puts no load on anybody, and all who are without one may wait.
        if connectionWait != nil, outcome.unconnected != nil { return pause }
        return budget?.spend(call.origin, now: call.clock.now()) ?? true ? pause : nil
    }

    private func wait(
        _ pause: Backoff.Pause, after outcome: Outcome, of call: NetworkCall
    ) async throws(NetworkError) {
        if let connectionWait, let error = outcome.unconnected {
            let start = call.clock.now()
            defer { call.report(.wait, since: start, detail: "no connection") }
            try await connectionWait.wait(call)
            if let left = call.timeLeft, left <= pause.time { throw error }
        }
        let start = call.clock.now()
        defer { call.report(.wait, since: start, detail: pause.reason) }
        try await call.sleep(for: pause.time)
    }

    /// A key that no other call has, for
    /// ``init(attempts:base:cap:floor:ceiling:budget:idempotencyKey:connectionWait:mayPass:random:)``: 128 random bits in
    /// hexadecimal.
    public static let randomKey: @Sendable (NetworkCall) -> String? = { _ in
        UInt64.random(in: 0 ... .max).hexadecimal + UInt64.random(in: 0 ... .max).hexadecimal
    }

    fileprivate static let keyHeader = "Idempotency-Key"

    private enum IdempotencyKey: CallKey {
        typealias Value = String
    }
}

extension NetworkCall {
    fileprivate var hasIdempotencyKey: Bool {
        headers[RetryInterceptor.keyHeader]?.contains { !$0.isWhitespace } ?? false
    }

    fileprivate func canBeSentAgain(after outcome: Outcome) -> Bool {
        if let body, !body.canBeSentAgain { return false }
        switch options.retry {
        case .never: return false
        case .always: return true
        case .whenSafe, nil: break
        }
        if method.isIdempotent || hasIdempotencyKey { return true }
        guard case .failure(let error) = outcome else { return false }
        return !mayHaveReachedServer && !error.mayHaveReachedServer
    }
}

extension Outcome {
    /// The error, when there was no way to the server at all.
    fileprivate var unconnected: NetworkError? {
        guard case .failure(let error) = self, case .connection(let failure) = error,
            [.notConnected, .nameNotFound, .refused].contains(failure.kind)
        else { return nil }
        return error
    }
}

/// Whether ``RetryInterceptor`` may send a request again that failed for a reason that may pass.
///
/// It does not concern what is no failure: a 401 that ``AuthorizationInterceptor`` refreshes a token for, and a redirect.
public enum RetryRule: RequestOption {
    case never
    /// Where sending it twice does no harm: an idempotent method (RFC 9110 section 9.2.2), an `Idempotency-Key`, or the
    /// certainty that nothing reached the server.
    case whenSafe
    /// Also with a method that is not idempotent: the app knows that this request may arrive twice.
    case always
}

extension RequestOptions {
    /// Whether the request may be sent again. Default: ``RetryRule/whenSafe``.
    public var retry: RetryRule? {
        get { self[RetryRule.self] }
        set { self[RetryRule.self] = newValue }
    }

    /// Options with a rule for retries.
    public init(
        timeout: Duration? = nil, deadline: Duration? = nil, sizeLimit: Int? = nil, redirects: RedirectPolicy? = nil,
        expectedType: String? = nil, retry: RetryRule
    ) {
        self.init(
            timeout: timeout, deadline: deadline, sizeLimit: sizeLimit, redirects: redirects,
            expectedType: expectedType)
        self.retry = retry
    }
}

/// The outcome of an attempt.
typealias Outcome = Result<NetworkResponse, NetworkError>

/// How long to wait before an attempt.
struct Backoff: Sendable {
    let base: Duration
    let cap: Duration
    let floor: Duration
    let ceiling: Duration
    let random: @Sendable () -> Double

    struct Pause {
        let time: Duration
        let reason: String
    }

    /// Nil when the server wants a longer wait than may be.
    func pause(
        after outcome: Outcome, attempt: Int, of call: NetworkCall
    ) -> Pause? {
        if let response = outcome.refusal, let pause = ServerLimits(response.headers, date: call.clock.date).pause {
            return pause.time <= ceiling ? Pause(time: max(pause.time, floor), reason: pause.name) : nil
        }
        return Pause(time: max(jittered(attempt), floor), reason: "backoff")
    }

    /// Drawn between nothing and `base`, doubled for each attempt, up to `cap`.
    private func jittered(_ attempt: Int) -> Duration {
        var longest = base
        for _ in 1..<attempt where longest < cap { longest *= 2 }
        let share = random()
        return min(longest, cap) * (share > 0 && share < 1 ? share : 0)
    }
}

extension Outcome {
    /// What the server answered; an interceptor may have made an error of it.
    fileprivate var refusal: NetworkResponse? {
        switch self {
        case .success(let response): response
        case .failure(let error): error.response
        }
    }
}
