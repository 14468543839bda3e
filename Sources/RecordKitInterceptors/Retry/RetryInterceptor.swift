public import RecordKit

/// Repeats calls that failed for a transient reason.
///
/// Transient are lost and refused connections, a missing network, timeouts of an attempt, and the statuses 408, 425,
/// 429, 500, 502, 503, 504, 520 to 524, 527 and 530.
///
/// A call is repeated only if that is safe. Its method is GET, HEAD, PUT, DELETE, OPTIONS, TRACE or QUERY, or it has an
/// `Idempotency-Key`, or the error says that nothing reached the server. Its body can be sent again. A request changes
/// this with `RequestOptions.retry`.
///
/// The waits are those of a ``Backoff``: random, so that callers that failed together don't come back together. If the
/// server gives a time, in `Retry-After` or `RateLimit-Reset`, that time is used.
///
/// A call isn't repeated if the retry would begin after its deadline, or if its ``RetryBudget`` is used up. Then the
/// response or error of the last attempt is returned at once.
public struct RetryInterceptor: NetworkInterceptor {
    private let attempts: Int
    private let backoff: Backoff
    private let budget: RetryBudget?
    private let idempotencyKey: (@Sendable (NetworkCall) -> String?)?
    private let connectionWait: ConnectionWait?
    private let isTransientResponse: (@Sendable (NetworkResponse) -> Bool)?

    /// Creates an interceptor that repeats calls.
    ///
    /// - Parameters:
    ///   - attempts: The number of attempts of a call, the first included. Default: 3.
    ///   - backoff: The waits between attempts. If the server asks for a longer wait than the backoff allows, its
    ///     response is returned at once.
    ///   - budget: The limit of extra load by retries, or `nil` for no limit. Default: its own budget.
    ///   - idempotencyKey: Returns the `Idempotency-Key` of a POST or PATCH that has none, or `nil` to add none. A
    ///     server that supports the field processes such a call only once, so it is safe to repeat. The key is the same
    ///     for each attempt. See ``randomKey`` and ``quotedRandomKey``. Default: `nil`, no key is added.
    ///   - connectionWait: How to wait for the network if there was no connection: no network, no address for the name,
    ///     or no listener. These retries don't use the budget. Without a deadline, the wait may last forever. Default:
    ///     `nil`, no wait.
    ///   - isTransient: Returns whether a response is transient, instead of the statuses above. Called for every
    ///     response. Default: `nil`, the statuses above are transient.
    public init(
        attempts: Int = 3, backoff: Backoff = Backoff(), budget: RetryBudget? = RetryBudget(),
        idempotencyKey: (@Sendable (NetworkCall) -> String?)? = nil, connectionWait: ConnectionWait? = nil,
        isTransient: (@Sendable (NetworkResponse) -> Bool)? = nil
    ) {
        self.attempts = attempts
        self.backoff = backoff
        self.budget = budget
        self.idempotencyKey = idempotencyKey
        self.connectionWait = connectionWait
        isTransientResponse = isTransient
    }

    /// Sends the call, and repeats it while that is allowed and may help.
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
        // An outer interceptor may repeat the call, too.
        let key = call.shared(IdempotencyKey.self) { idempotencyKey(call) ?? "" }
        if key.isEmpty { return call }
        var call = call
        call.headers[Self.keyHeader] = key
        return call
    }

    private func isTransient(_ outcome: Outcome) -> Bool {
        switch outcome {
        case .success(let response):
            isTransientResponse?(response) ?? NetworkError.status(response).isTransient
        case .failure(let error): error.isTransient
        }
    }

    /// Returns the wait before the next attempt, or `nil` if there is none.
    private func pause(
        after outcome: Outcome, attempt: Int, of call: NetworkCall
    ) -> Backoff.Pause? {
        guard attempt < attempts, call.canBeSentAgain(after: outcome),
            let pause = backoff.reasonedPause(after: outcome.refusal, attempt: attempt, date: call.clock.date),
            call.timeLeft.map({ pause.time < $0 }) ?? true
        else { return nil }
        // Waiting for a connection puts no load on a server, so it doesn't use the budget.
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

    /// A closure that returns a unique key for the initializer's `idempotencyKey`: 128 random bits in hexadecimal.
    public static let randomKey: @Sendable (NetworkCall) -> String? = { _ in
        UInt64.random(in: 0 ... .max).hexadecimal + UInt64.random(in: 0 ... .max).hexadecimal
    }

    /// The same as ``randomKey`` in quotation marks, as draft-ietf-httpapi-idempotency-key-header-07 requires. Most
    /// servers, such as Stripe's, expect the key without them.
    public static let quotedRandomKey: @Sendable (NetworkCall) -> String? = { call in
        randomKey(call).map { "\"\($0)\"" }
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
        case .whenRefused where outcome.isRefusedUnexecuted: return true
        case .standard, .whenRefused, nil: break
        }
        if method.isIdempotent || hasIdempotencyKey { return true }
        guard case .failure(let error) = outcome else { return false }
        return !mayHaveReachedServer && !error.mayHaveReachedServer
    }
}

extension Outcome {
    /// The error, if the server couldn't be reached at all.
    fileprivate var unconnected: NetworkError? {
        guard case .failure(let error) = self, case .connection(let failure) = error,
            [.notConnected, .nameNotFound, .refused].contains(failure.kind)
        else { return nil }
        return error
    }

    /// The response of the server. An interceptor may have made an error of it.
    fileprivate var refusal: NetworkResponse? {
        switch self {
        case .success(let response): response
        case .failure(let error): error.response
        }
    }

    /// Whether the server asks to send the request again later.
    fileprivate var isRefusedUnexecuted: Bool {
        guard let refusal, [429, 503].contains(refusal.statusCode) else { return false }
        return refusal.headers.contains("Retry-After")
    }
}

/// Whether ``RetryInterceptor`` may repeat a request that failed for a transient reason.
///
/// The policy doesn't apply to a 401 that ``AuthorizationInterceptor`` refreshes a token for, nor to redirects.
@nonexhaustive
public enum RetryPolicy: RequestOption {
    /// The request is never repeated.
    case never
    /// The request is repeated if that is safe: its method is idempotent (RFC 9110 section 9.2.2), it has an
    /// `Idempotency-Key`, or nothing reached the server.
    case standard
    /// The same as ``standard``. In addition, a request of any method is repeated if the server refused it with 429 or
    /// 503 and `Retry-After`: such a server has not executed it.
    ///
    /// Use it where the server documents that, as APIs of language models do. A gateway may respond like this after it
    /// has passed a request on.
    case whenRefused
    /// The request is repeated even if its method isn't idempotent. The server may receive it twice.
    case always
}

extension RequestOptions {
    /// Whether the request may be repeated. Default: `RetryPolicy.standard`.
    public var retry: RetryPolicy? {
        get { self[RetryPolicy.self] }
        set { self[RetryPolicy.self] = newValue }
    }
}

/// The result of an attempt.
typealias Outcome = Result<NetworkResponse, NetworkError>
