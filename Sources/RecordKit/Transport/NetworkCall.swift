public import Foundation

/// One call on its way: what interceptors see and change, and what a transport sends.
public struct NetworkCall: Sendable {
    /// Where to. Percent-encoded, http or https.
    public var url: URL
    public var method: HTTPMethod
    /// All headers but those that the transport sets itself: Host, Content-Length, Connection, Accept-Encoding.
    public var headers: HTTPHeaders
    public var body: EncodedBody?
    /// What the request and the configuration set together.
    public var options: RequestOptions
    /// Whether the body of the answer is wanted whole or as it arrives.
    public var delivery: Delivery
    /// Which attempt this is, from 1.
    public var attempt: Int
    /// The request that the call is made from.
    public let request: any Sendable
    /// The time the call lives by.
    public let clock: NetworkClock
    /// When the call has to be done, in the clock's time; nil when it may take for ever.
    public internal(set) var deadline: Duration?
    /// Shared by all copies of this call.
    let recorder = CallRecorder()

    public enum Delivery: Sendable, Hashable {
        /// The whole body.
        case buffered
        /// For a 2xx the head at once, with ``NetworkResponse/stream`` set; any other answer whole.
        case streamed
    }

    /// What an interceptor hands the call on to.
    public typealias Next = @Sendable (NetworkCall) async throws(NetworkError) -> NetworkResponse

    /// A call takes its deadline from the options, counted from now.
    public init(
        url: URL, method: HTTPMethod = .get, headers: HTTPHeaders = HTTPHeaders(), body: EncodedBody? = nil,
        options: RequestOptions = .standard, delivery: Delivery = .buffered, request: any Sendable = "",
        clock: NetworkClock = .continuous
    ) {
        self.url = url
        self.method = method
        self.headers = headers
        self.body = body
        self.options = options
        self.delivery = delivery
        self.attempt = 1
        self.request = request
        self.clock = clock
        self.deadline = options.deadline.map { clock.now() + $0.limited }
    }

    /// The request's type and case, such as `RecordService.One.fetch`, without its arguments, which may be secret.
    /// Made anew each time.
    public var name: String { CaseName.of(request) }

    /// The time that is left until the deadline, zero when it has passed, nil without one.
    public var timeLeft: Duration? {
        deadline.map { max($0 - clock.now(), .zero) }
    }

    /// This call for one more attempt: numbered after all that it has had so far, whichever interceptor asked for them.
    public func nextAttempt() -> NetworkCall {
        var call = self
        call.attempt = recorder.countAttempt()
        return call
    }

    /// A text that is made once for a call and is the same on each of its attempts, such as an id.
    ///
    /// - Parameters:
    ///   - name: tells it from others of the same call.
    ///   - make: called at the first time; once more only when two tasks ask for the first time at once.
    public func once(_ name: String, make: () -> String) -> String {
        recorder.once(name, make)
    }

    /// Waits, as an interceptor does between two attempts.
    ///
    /// - Throws: ``NetworkError/cancelled`` when the call is cancelled meanwhile; ``NetworkError/timedOut(_:)`` at the
    ///   deadline when that comes first.
    public func sleep(for duration: Duration) async throws(NetworkError) {
        let left = timeLeft
        do {
            try await clock.sleep(min(duration, left ?? duration))
        } catch {
            throw .cancelled
        }
        if let left, left < duration { throw deadlinePassed }
    }

    /// The error of a call whose deadline has passed.
    var deadlinePassed: NetworkError {
        .timedOut(Timeout(limit: .deadline, after: options.deadline ?? .zero, host: url.hostAndPort))
    }
}

extension NetworkCall: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Method, address and name on one line, secrets redacted, without the body.
    public var description: String {
        "\(method) \(url.redacted(headers.secretNames)) (\(name))"
    }

    public var debugDescription: String { description }

    public var customMirror: Mirror {
        let children: KeyValuePairs<String, Any> = [
            "name": name, "method": method, "url": url.redacted(headers.secretNames), "headers": headers,
            "options": options, "attempt": attempt,
        ]
        return Mirror(self, children: children, displayStyle: .struct)
    }
}
