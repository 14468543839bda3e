public import Foundation

/// One call on its way: what interceptors see and change, and what a transport sends.
public struct NetworkCall: Sendable {
    /// Where to. Percent-encoded, http or https.
    public var url: URL {
        get { fields.url }
        _modify { yield &fields.url }
    }
    public var method: HTTPMethod {
        get { fields.method }
        _modify { yield &fields.method }
    }
    /// All headers but those that the transport adds itself: Host, Content-Length, Connection, Accept-Encoding.
    public var headers: HTTPHeaders {
        get { fields.headers }
        _modify { yield &fields.headers }
    }
    public var body: EncodedBody? {
        get { fields.body }
        _modify { yield &fields.body }
    }
    /// What the request and the configuration set together. Changing its deadline does not move ``deadline``.
    public var options: RequestOptions {
        get { fields.options }
        _modify { yield &fields.options }
    }
    /// Whether the body of the answer is wanted whole or as it arrives. A call that is made from a request is buffered;
    /// an interceptor may change that.
    public var delivery: Delivery {
        get { fields.delivery }
        _modify { yield &fields.delivery }
    }
    /// Which attempt this is, from 1; see ``nextAttempt()``.
    public internal(set) var attempt: Int {
        get { fields.attempt }
        _modify { yield &fields.attempt }
    }
    /// When the call has to be done, in the clock's time; nil when it may take for ever.
    public internal(set) var deadline: Duration? {
        get { fields.deadline }
        _modify { yield &fields.deadline }
    }
    /// Tells the interceptors and the transport of its configuration from those of another.
    var way: ObjectIdentifier? {
        get { fields.way }
        _modify { yield &fields.way }
    }
    /// Scheme, host and port of the address, in lower case, the port always named.
    var origin: String { fields.origin }
    /// The request that the call is made from.
    public var request: any Sendable { fields.recorder.request }
    /// The time the call lives by.
    public var clock: NetworkClock { fields.recorder.clock }
    /// Shared by all copies of this call.
    var recorder: CallRecorder { fields.recorder }

    private var storage: Storage

    public enum Delivery: Sendable, Hashable {
        /// The whole body.
        case buffered
        /// For a 2xx the head at once, with ``NetworkResponse/stream`` set; any other answer whole, and all of them
        /// from a transport that cannot stream, such as ``URLSessionTransport``.
        case streamed
    }

    /// What an interceptor hands the call on to.
    public typealias Next = @Sendable (NetworkCall) async throws(NetworkError) -> NetworkResponse

    /// What came of a call, or of one attempt.
    package typealias Outcome = Result<NetworkResponse, NetworkError>

    /// A call takes its deadline from the options, counted from now.
    public init(
        url: URL, method: HTTPMethod = .get, headers: HTTPHeaders = HTTPHeaders(), body: EncodedBody? = nil,
        options: RequestOptions = .standard, delivery: Delivery = .buffered, request: any Sendable = "",
        clock: NetworkClock = .continuous
    ) {
        storage = Storage(
            Fields(
                url: url, origin: url.origin, method: method, headers: headers, body: body, options: options,
                delivery: delivery,
                attempt: 1, deadline: options.deadline.map { clock.now() + $0.limited },
                recorder: CallRecorder(request: request, clock: clock)))
    }

    private struct Fields: Sendable {
        var url: URL {
            didSet { origin = url.origin }
        }
        private(set) var origin: String
        var method: HTTPMethod
        var headers: HTTPHeaders
        var body: EncodedBody?
        var options: RequestOptions
        var delivery: Delivery
        var attempt: Int
        var deadline: Duration?
        var way: ObjectIdentifier?
        let recorder: CallRecorder
    }

    /// Unchecked, as the compiler does not see that only its one owner changes it; see ``fields``.
    private final class Storage: @unchecked Sendable {
        @exclusivity(unchecked) var fields: Fields

        init(_ fields: Fields) {
            self.fields = fields
        }
    }

    /// Copied when a copy of the call is changed, and not when it is handed on, as each interceptor does.
    private var fields: Fields {
        _read { yield storage.fields }
        _modify {
            if !isKnownUniquelyReferenced(&storage) { storage = Storage(storage.fields) }
            yield &storage.fields
        }
    }

    /// Whether neither was changed since one was copied from the other.
    func isUnchanged(from other: NetworkCall) -> Bool { storage === other.storage }

    /// The request's type and case, such as `RecordService.One.fetch`, without its arguments, which may be sensitive.
    /// Made anew each time.
    public var name: String { CaseName.of(request) }

    /// The time that is left until the deadline, zero when it has passed, nil without one.
    public var timeLeft: Duration? {
        deadline.map { max($0 - clock.now(), .zero) }
    }

    /// This call for one more attempt: numbered after all that it has had so far, whichever interceptor asked for them.
    @inline(never)
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
        if let left, left < duration { throw deadlinePassed() }
    }
}

extension NetworkCall: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Method, address and name on one line, sensitive items redacted, without the body.
    public var description: String {
        "\(method) \(url.redacted(headers.sensitiveNames)) (\(name))"
    }

    public var debugDescription: String { description }

    public var customMirror: Mirror {
        let children: KeyValuePairs<String, Any> = [
            "name": name, "method": method, "url": url.redacted(headers.sensitiveNames), "headers": headers,
            "options": options, "attempt": attempt,
        ]
        return Mirror(self, children: children, displayStyle: .struct)
    }
}
