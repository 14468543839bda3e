public import Foundation
import Synchronization

/// A request in the form that interceptors change and transports send.
///
/// What the function that configures a call sets holds for the whole call. What an interceptor sets holds for the
/// interceptors after it and for the transport; a member whose change is seen elsewhere too says so.
public struct NetworkCall: Sendable {
    /// The URL. It is percent-encoded, and its scheme is http or https.
    public var url: URL {
        didSet { origin = URLOrigin(url) }
    }
    /// The HTTP method.
    public var method: HTTPMethod
    /// The header fields, except those that the transport adds: `Host`, `Content-Length`, `Connection` and
    /// `Accept-Encoding`.
    public var headers: HTTPHeaders
    /// The encoded body, if any.
    public var body: EncodedBody?
    /// The options of the request, with the configuration's where the request sets none.
    ///
    /// An interceptor can't change two of them for what is outside of it. The session ends the call at the deadline
    /// that it is sent with; a deadline of an interceptor bounds the waits and the later attempts after it. The size
    /// limit of a line, event or element is that which the call is sent with.
    public var options: RequestOptions
    /// The delivery of the response body: whole or as a stream.
    ///
    /// A call made from a request is buffered. An interceptor may change that.
    public var delivery: Delivery
    /// The time that ``RequestOptions/deadline`` counts from, in the time of ``clock``: when the call was made.
    ///
    /// Several calls that share a deadline have the start of the first one. What is said of the deadline in ``options``
    /// applies to it.
    public var startTime: Duration
    /// The number of the attempt, starting at 1. See ``nextAttempt()``.
    public private(set) var attempt = 1
    /// The scheme, host and port of ``url``.
    public private(set) var origin: URLOrigin
    let state: CallState
    var membership = Membership()

    /// The session and the manager that a call belongs to.
    ///
    /// A session sets them when it makes the call, from what its ``OutgoingRequest`` contains.
    struct Membership: Sendable {
        /// The tracker of the session.
        var tracker: TaskTracker?
        /// The manager. 0 for none.
        var scope: UInt64 = 0
        /// The transfer that is tracked since before the call was built. See ``NetworkTask``.
        var transfer: Transfer?
        /// The receiver of ``NetworkCall/onProgress``.
        var meter: ProgressMeter?
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
        self.url = url
        origin = URLOrigin(url)
        self.method = method
        self.headers = headers
        self.body = body
        self.options = options
        self.delivery = delivery
        startTime = clock.now()
        state = CallState(request: request, clock: clock, observers: observers)
    }

    /// The identifier of the call. All its attempts share it.
    public var id: ID { state.id }

    /// The identifier of the session that the call is made in. `nil` for a call that wasn't made by a session.
    ///
    /// Calls with equal identifiers are sent through the same transport and interceptors.
    public var sessionID: SessionID? { membership.tracker?.id }

    /// The interceptors of the session that the call is made in. Empty for a call that wasn't made by a session.
    public var interceptors: [any NetworkInterceptor] { membership.tracker?.interceptors ?? [] }

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
        call.attempt = state.countAttempt()
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
        guard let tracker = membership.tracker else { return try await sleep(for: duration) }
        try await tracker.track(in: membership.scope).run { () async throws(NetworkError) in
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

/// The name of a request or an error: its type and its case, without arguments.
enum CaseName {
    /// Returns a name such as `RecordService.One.fetch`.
    ///
    /// Returns the type's name alone for a struct. The same applies to a case without arguments whose type has its own
    /// description, since that hides the case.
    static func of(_ value: any Sendable) -> String {
        let mirror = Mirror(reflecting: value)
        let type = typeName(mirror.subjectType)
        guard mirror.displayStyle == .enum else { return type }
        if let label = mirror.children.first?.label { return "\(type).\(label)" }
        // `NetworkError` has its own description.
        if case .cancelled? = value as? NetworkError { return "\(type).cancelled" }
        // A case without arguments has no children. Its description is its name.
        return value is any CustomStringConvertible ? type : "\(type).\(value)"
    }

    /// Returns the full name of a type without its module, and without a function that declares it.
    ///
    /// The module is `(extension in App):Shared` for a type nested in another module's type.
    private static func typeName(_ type: Any.Type) -> String {
        let name = withoutArguments(String(reflecting: type))
        let plain = name[...].parts(between: ".").dropFirst().filter { !brackets.containsAny(of: String($0)) }
        return plain.isEmpty ? name : plain.joined(separator: ".")
    }

    private static let brackets: ByteSet = "()"

    /// Removes generic arguments, such as those of `App.Resource<() -> Int>.One`.
    private static func withoutArguments(_ name: String) -> String {
        var plain = ""
        var depth = 0
        var last: Character?
        for character in name {
            if character == "<" { depth += 1 }
            if depth == 0 { plain.append(character) }
            if character == ">", last != "-" { depth -= 1 }
            last = character
        }
        return plain
    }
}
