public import Foundation
import Synchronization

/// A request in the form that interceptors change and transports send.
///
/// What the function that configures a call sets holds for the whole call. What an interceptor sets holds for the
/// interceptors after it and for the transport; a member whose change is seen elsewhere too says so.
public struct NetworkCall: Sendable {
    /// The members of a call.
    private struct Members: Sendable {
        var url: URL
        var method: HTTPMethod
        var headers: HTTPHeaders
        var body: EncodedBody?
        var options: RequestOptions
        var delivery: Delivery
        var startTime: Duration
        var attempt = 1
        var origin: URLOrigin
        let state: CallState
        var session: SessionState?
        var scope: UInt64 = 0
        var meter: ProgressMeter?
    }

    // A call is passed on and kept some forty times on its way. With its 300 bytes in one place, the frames of the
    // async functions take half the memory. Sendable: only a call that is the one owner changes its members.
    private final class Storage: @unchecked Sendable {
        var members: Members

        init(_ members: Members) { self.members = members }
    }

    private var storage: Storage

    /// The members, to be changed. Copies them first if another call has them, too.
    private var members: Members {
        get { storage.members }
        _modify {
            if !isKnownUniquelyReferenced(&storage) { storage = Storage(storage.members) }
            yield &storage.members
        }
    }

    /// The URL. It is percent-encoded, and its scheme is http or https.
    public var url: URL {
        get { storage.members.url }
        set { (members.url, members.origin) = (newValue, URLOrigin(newValue)) }
    }
    /// The HTTP method.
    public var method: HTTPMethod {
        get { storage.members.method }
        set { members.method = newValue }
    }
    /// The header fields, except those that the transport adds: `Host`, `Content-Length`, `Connection` and
    /// `Accept-Encoding`.
    public var headers: HTTPHeaders {
        get { storage.members.headers }
        _modify { yield &members.headers }
    }
    /// The encoded body, if any.
    public var body: EncodedBody? {
        get { storage.members.body }
        _modify { yield &members.body }
    }
    /// The options of the request, with the configuration's where the request sets none.
    ///
    /// An interceptor can't change two of them for what is outside of it. The session ends the call at the deadline
    /// that it is sent with; a deadline of an interceptor bounds the waits and the later attempts after it. The size
    /// limit of a line, event or element is that which the call is sent with.
    public var options: RequestOptions {
        get { storage.members.options }
        _modify { yield &members.options }
    }
    /// The delivery of the response body: whole or as a stream.
    ///
    /// A call made from a request is buffered. An interceptor may change that.
    public var delivery: Delivery {
        get { storage.members.delivery }
        set { members.delivery = newValue }
    }
    /// The time that ``RequestOptions/deadline`` counts from, in the time of ``clock``: when the call was made.
    ///
    /// Several calls that share a deadline have the start of the first one. What is said of the deadline in ``options``
    /// applies to it.
    public var startTime: Duration {
        get { storage.members.startTime }
        set { members.startTime = newValue }
    }
    /// The number of the attempt, starting at 1. See ``nextAttempt()``.
    public var attempt: Int { storage.members.attempt }
    /// The scheme, host and port of ``url``.
    public var origin: URLOrigin { storage.members.origin }
    var state: CallState { storage.members.state }
    /// The state of the session that made the call.
    var session: SessionState? {
        get { storage.members.session }
        set { members.session = newValue }
    }
    /// The manager that the call counts for. 0 for none.
    var scope: UInt64 {
        get { storage.members.scope }
        set { members.scope = newValue }
    }
    /// The receiver of ``onProgress``.
    var meter: ProgressMeter? {
        get { storage.members.meter }
        set { members.meter = newValue }
    }

    /// The delivery of a response body.
    @nonexhaustive
    public enum Delivery: Sendable, Hashable {
        /// The whole body at once.
        case buffered
        /// A stream for a 2xx response, as soon as its head arrives. See ``NetworkResponse/content``. Any other
        /// response is buffered.
        case streamed
        /// The connection, after a response with 101 (Switching Protocols). Any other response is buffered, and ends
        /// the call with ``NetworkError/status(_:)``.
        case upgraded
    }

    /// The identifier of a call, unique in this process.
    public struct ID: Sendable, Hashable {
        private static let last = Atomic<UInt64>(0)
        private let number = ID.last.add(1, ordering: .relaxed).newValue
    }

    /// The identifier of a session, unique in this process.
    public struct SessionID: Sendable, Hashable {
        private static let last = Atomic<UInt64>(0)
        private let number = SessionID.last.add(1, ordering: .relaxed).newValue
    }

    /// A function that changes a call before its interceptors. An error that it throws ends the call before it is sent.
    public typealias Change = @Sendable (inout NetworkCall) throws(NetworkError) -> Void

    /// A function that passes the call to the next interceptor, or to the transport.
    public typealias Next = @Sendable (NetworkCall) async throws(NetworkError) -> NetworkResponse

    /// The outcome of a call or of an attempt, as interceptors and transports see it.
    ///
    /// The request reads it as its result (`NetworkRequest.ResultType`): a value or an error of its own types. A
    /// ``NetworkReply`` is such a value with the response that it was read from.
    typealias Outcome = Result<NetworkResponse, NetworkError>

    /// Creates a call. Its deadline counts from now.
    ///
    /// - Parameters:
    ///   - url: The URL. It is percent-encoded, and its scheme is http or https.
    ///   - method: The HTTP method.
    ///   - headers: The header fields.
    ///   - body: The encoded body.
    ///   - options: The options of the call.
    ///   - delivery: The delivery of the response body.
    ///   - request: The request that the call is made from. Its type and case name the call.
    ///   - clock: The clock of the call.
    ///   - observers: The observers of the call's events.
    public init(
        url: URL, method: HTTPMethod = .get, headers: HTTPHeaders = HTTPHeaders(), body: EncodedBody? = nil,
        options: RequestOptions = RequestOptions(), delivery: Delivery = .buffered, request: any Sendable = "",
        clock: NetworkClock = .continuous, observers: [any NetworkObserver] = []
    ) {
        storage = Storage(
            Members(
                url: url, method: method, headers: headers, body: body, options: options, delivery: delivery,
                startTime: clock.now(), origin: URLOrigin(url),
                state: CallState(request: request, clock: clock, observers: observers)))
    }

    /// The identifier of the call. All its attempts share it.
    public var id: ID { state.id }

    /// The identifier of the session that the call is made in. `nil` for a call that wasn't made by a session.
    ///
    /// Calls with equal identifiers are sent through the same transport and interceptors.
    public var sessionID: SessionID? { session?.id }

    /// The interceptors of the session that the call is made in. Empty for a call that wasn't made by a session.
    public var interceptors: [any NetworkInterceptor] { session?.interceptors ?? [] }

    /// The request that the call is made from.
    public var request: any Sendable { state.request }

    /// The clock of the call.
    public var clock: NetworkClock { state.clock }

    /// The type and case of the request, such as `RecordService.One.fetch`.
    ///
    /// The arguments are left out, since they may be sensitive. The name is computed at each use.
    public var name: String { CaseName.of(request) }

    /// The time until the deadline. Zero after the deadline, `nil` without one.
    public var timeLeft: Duration? {
        options.deadline.map { max(startTime + $0.limited - clock.now(), .zero) }
    }

    /// Whether the exchange of this attempt has exceeded the timeout.
    ///
    /// The library ends an exchange by cancelling its task. So a transport that wraps another one can distinguish a
    /// timeout from a cancellation. The deadline has passed if ``timeLeft`` is zero.
    public var hasTimedOut: Bool { state.timedOutAttempt == attempt }

    /// Whether a server may have seen this call in an exchange that has ended.
    public var mayHaveReachedServer: Bool { state.mayHaveReachedServer }

    /// Returns this call as its next attempt. The number counts the attempts of all interceptors.
    public func nextAttempt() -> NetworkCall {
        var call = self
        call.members.attempt = state.countAttempt()
        return call
    }

    /// Returns a value that all attempts of a call share, such as an idempotency key.
    ///
    /// - Parameters:
    ///   - key: The key of the value.
    ///   - make: Creates the value at the first use of the key. It may run twice if two tasks use the key at the same
    ///     time.
    /// - Returns: The value of the key, the same for every attempt.
    public func shared<Key: CallKey>(_ key: Key.Type, make: () -> Key.Value) -> Key.Value {
        state.value(key, make)
    }

    /// Waits within the call, such as between two attempts, at most until the deadline.
    ///
    /// The call counts as in flight anyway. Between two calls, use ``sleepInFlight(for:)``.
    ///
    /// - Parameter duration: The time to wait.
    /// - Throws: ``NetworkError/cancelled`` if the task is cancelled. ``NetworkError/timedOut(_:)`` if the deadline
    ///   comes first.
    public func sleep(for duration: Duration) async throws(NetworkError) {
        let left = timeLeft
        do {
            try await clock.sleep(min(duration, left ?? duration))
        } catch {
            throw .cancelled
        }
        if let left, left < duration { throw deadlinePassed() }
    }
}

extension NetworkCall {
    /// Waits between two calls, such as before a reconnect. The wait itself counts as in flight, and `cancelAll()` ends
    /// it.
    ///
    /// Within a call, use ``sleep(for:)``.
    ///
    /// - Parameter duration: The time to wait, at most until the deadline.
    /// - Throws: ``NetworkError/cancelled`` if the task is cancelled, or by `cancelAll()`.
    ///   ``NetworkError/timedOut(_:)`` if the deadline comes first.
    public func sleepInFlight(for duration: Duration) async throws(NetworkError) {
        if Task.isCancelled { throw .cancelled }
        guard let session else { return try await sleep(for: duration) }
        try await session.track(in: scope).run { () async throws(NetworkError) in
            try await sleep(for: duration)
        }.get()
    }
}

/// A key for a value that the attempts of a call share. See ``NetworkCall/shared(_:make:)``.
public protocol CallKey {
    /// The type of the value.
    associatedtype Value: Sendable
}

extension NetworkCall: SelfDescribing {
    /// The method, URL and name on one line, without the body.
    var text: String {
        "\(method) \(url.redacted(headers.sensitiveNames)) (\(name))"
    }

    var shown: [(name: String, value: Any)] {
        [
            ("name", name), ("method", method), ("url", url.redacted(headers.sensitiveNames)), ("headers", headers),
            ("options", options), ("attempt", attempt),
        ]
    }
}

extension NetworkCall {
    /// Returns the error for a call that can't be sent.
    func invalid(_ member: NetworkError.InvalidRequest.Member, _ reason: String) -> NetworkError {
        .invalidRequest(NetworkError.InvalidRequest(request: name, member: member, reason: reason))
    }

    /// The error for a connection that broke after the request was sent on it.
    var connectionLost: NetworkError {
        .connection(NetworkError.ConnectionFailure(kind: .lost, host: origin.hostAndPort, mayHaveReachedServer: true))
    }

    /// The error for an attempt that exceeded its timeout.
    var timedOut: NetworkError { exceeded(.attempt, timeout, mayHaveReachedServer: true) }

    /// Records that the exchange has exceeded the timeout. Returns the error.
    func endedByTimeout() -> NetworkError {
        state.timedOutAttempt = attempt
        return timedOut
    }

    /// The error for a body that didn't go on before the call was sent.
    var timedOutUnsent: NetworkError { exceeded(.attempt, timeout, mayHaveReachedServer: false) }

    /// The error for a body that exceeds the size limit.
    var tooLarge: NetworkError { .tooLarge(NetworkError.TooLarge(limit: sizeLimit, host: origin.hostAndPort)) }

    /// Returns the error for a call whose deadline has passed.
    func deadlinePassed() -> NetworkError {
        exceeded(.deadline, options.deadline ?? .zero, mayHaveReachedServer: state.isSent)
    }

    private func exceeded(
        _ limit: NetworkError.Timeout.Limit, _ time: Duration, mayHaveReachedServer: Bool
    ) -> NetworkError {
        .timedOut(
            NetworkError.Timeout(
                limit: limit, after: time, host: origin.hostAndPort, mayHaveReachedServer: mayHaveReachedServer))
    }

    /// Returns `error`, or the deadline's error if the deadline caused a cancellation.
    ///
    /// The deadline ends a call by cancelling its parts. Each part then reports ``NetworkError/cancelled``.
    func deadlineIfPassed(_ error: NetworkError) -> NetworkError {
        if case .cancelled = error, timeLeft == .zero { return deadlinePassed() }
        return error
    }

    /// Returns `error`, marked if a server may have seen an earlier exchange of the call.
    func withEarlierExchanges(_ error: NetworkError) -> NetworkError {
        if state.mayHaveReachedServer { return error.afterReachingServer() }
        if case .interceptor = error, state.isSent { return error.afterReachingServer() }
        return error
    }

    /// Returns the error that the reading of a response ends with, and reports it.
    func readFailed(_ error: NetworkError, since start: Duration) -> NetworkError {
        let error = deadlineIfPassed(withEarlierExchanges(error))
        report(.read, since: start, detail: CaseName.of(error))
        return error
    }

    /// Returns `error` with the name of the request. The errors of an encoded body have no name.
    func named(_ error: NetworkError) -> NetworkError {
        guard case .invalidRequest(let failure) = error, failure.request.isEmpty else { return error }
        return .invalidRequest(failure.named(name))
    }
}
