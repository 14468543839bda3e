public import Foundation

/// One call on its way: what interceptors see and change, and what a transport sends.
public struct NetworkCall: Sendable {
    /// The address. Percent-encoded, http or https.
    public var url: URL {
        didSet { origin = Origin(url) }
    }
    public var method: HTTPMethod
    /// The header fields, except those that the transport adds: Host, Content-Length, Connection, Accept-Encoding.
    public var headers: HTTPHeaders
    public var body: EncodedBody?
    /// The options of the request and of the configuration together. Changing the deadline here does not move
    /// ``deadline``.
    public var options: RequestOptions
    /// Whether the response body is wanted whole or as it arrives. A call that is made from a request is buffered; an
    /// interceptor may change that.
    public var delivery: Delivery
    /// The moment by which the call has to be done, in the time of ``clock``; `nil` without a limit.
    ///
    /// The deadline of the call as a whole is set when it starts. Changing this one changes how long interceptors are
    /// ready to wait.
    public var deadline: Duration?
    /// Which attempt this is, from 1; see ``nextAttempt()``.
    public private(set) var attempt = 1
    /// Tells calls of a configuration from those of another; `nil` for a call that is made by hand.
    public internal(set) var route: Route?
    /// The scheme, host and port of ``url``.
    public private(set) var origin: Origin
    let state: CallState

    /// How the body of a response is delivered.
    public enum Delivery: Sendable, Hashable {
        /// The whole body.
        case buffered
        /// For a 2xx the head at once, with a stream as ``NetworkResponse/content``. Any other response is whole.
        case streamed
    }

    /// A transport and the interceptors in front of it. Two calls with the same route are sent in the same way.
    public struct Route: Sendable, Hashable {
        private let id: UInt64

        init(id: UInt64) {
            self.id = id
        }
    }

    /// What an interceptor passes the call on to.
    public typealias Next = @Sendable (NetworkCall) async throws(NetworkError) -> NetworkResponse

    /// The outcome of a call, or of one attempt.
    typealias Outcome = Result<NetworkResponse, NetworkError>

    /// Creates a call, whose deadline is that of the options, counted from now.
    public init(
        url: URL, method: HTTPMethod = .get, headers: HTTPHeaders = HTTPHeaders(), body: EncodedBody? = nil,
        options: RequestOptions = RequestOptions(), delivery: Delivery = .buffered, request: any Sendable = "",
        clock: NetworkClock = .continuous, observers: [any NetworkObserver] = []
    ) {
        self.url = url
        origin = Origin(url)
        self.method = method
        self.headers = headers
        self.body = body
        self.options = options
        self.delivery = delivery
        deadline = options.deadline.map { clock.now() + $0.limited }
        state = CallState(request: request, clock: clock, observers: observers)
    }

    /// Tells the call from every other of this process. All its attempts share it.
    public var id: UInt64 { state.id }

    /// The request that the call is made from.
    public var request: any Sendable { state.request }

    /// The time the call goes by.
    public var clock: NetworkClock { state.clock }

    /// The request's type and case, such as `RecordService.One.fetch`, without its arguments, which may be sensitive.
    /// Made anew at each use.
    public var name: String { CaseName.of(request) }

    /// The time until the deadline, zero when it has passed; `nil` without one.
    public var timeLeft: Duration? {
        deadline.map { max($0 - clock.now(), .zero) }
    }

    /// Whether a server may have seen this call, in an exchange that is over.
    public var mayHaveReachedServer: Bool { state.mayHaveReachedServer }

    /// Returns this call for one more attempt, numbered after all that it has had so far, whichever interceptor made them.
    public func nextAttempt() -> NetworkCall {
        var call = self
        call.attempt = state.countAttempt()
        return call
    }

    /// Returns a value that is made once for a call and is the same for each of its attempts, such as an id.
    ///
    /// - Parameters:
    ///   - key: Tells the value from others of the same call.
    ///   - make: Makes the value. Called the first time; once more only if two tasks ask for the first time at once.
    public func shared<Key: CallKey>(_ key: Key.Type, make: () -> Key.Value) -> Key.Value {
        state.value(key, make)
    }

    /// Waits, as an interceptor does between two attempts.
    ///
    /// - Throws: ``NetworkError/cancelled`` if the call is cancelled meanwhile; ``NetworkError/timedOut(_:)`` at the
    ///   deadline if that comes first.
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

/// The name of a value that the attempts of a call share; see ``NetworkCall/shared(_:make:)``.
public protocol CallKey {
    associatedtype Value: Sendable
}

extension NetworkCall: SelfDescribing {
    /// The method, address and name on one line, without the body.
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
