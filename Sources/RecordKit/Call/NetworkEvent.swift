import Synchronization

/// An event of a call. The observers of the configuration receive it when it has ended.
public struct NetworkEvent: Sendable, Equatable {
    /// A kind of event. An app may add kinds for its own interceptors.
    public struct Kind: RawRepresentable, Sendable, Hashable {
        /// The name of the kind.
        public let rawValue: String

        /// Creates a kind.
        ///
        /// - Parameter rawValue: The name of the kind.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The call was built from its request. This is the first event of each call.
        public static let built = Kind(rawValue: "built")
        /// An exchange waited for a slot of its host.
        public static let slot = Kind(rawValue: "slot")
        /// An attempt ended, with a response or with an error.
        public static let attempt = Kind(rawValue: "attempt")
        /// An attempt followed a redirect.
        public static let redirect = Kind(rawValue: "redirect")
        /// The response was read as a value, or the failure as an error. This is the last event of each call.
        ///
        /// The detail names the type and case of an error, such as `InventoryError.notFound`.
        public static let read = Kind(rawValue: "read")
    }

    /// The kind of the event.
    public let kind: Kind
    /// The start of the event, in the time of the call's clock.
    public var start: Duration
    /// The duration of the event.
    public var duration: Duration
    /// The number of the attempt that ended, waited for a slot or was redirected.
    public var attempt: Int?
    /// The status of an attempt's response, or of a redirect.
    public var statusCode: Int?
    /// The length of the body of an attempt's response, in bytes. `nil` for a stream.
    public var bytes: Int?
    /// More information, without sensitive data.
    public var detail: String?

    /// Creates an event.
    ///
    /// - Parameters:
    ///   - kind: The kind of the event.
    ///   - start: The start of the event, in the time of the call's clock.
    ///   - duration: The duration of the event.
    ///   - attempt: The number of the attempt.
    ///   - statusCode: The status of a response.
    ///   - bytes: The length of a response body, in bytes.
    ///   - detail: More information, without sensitive data.
    public init(
        _ kind: Kind, start: Duration, duration: Duration = .zero, attempt: Int? = nil, statusCode: Int? = nil,
        bytes: Int? = nil, detail: String? = nil
    ) {
        self.kind = kind
        self.start = start
        self.duration = duration
        self.attempt = attempt
        self.statusCode = statusCode
        self.bytes = bytes
        self.detail = detail
    }
}

/// An observer of the calls of a configuration.
public protocol NetworkObserver: Sendable {
    /// Handles an event of a call. It is called on the thread of the event, and must return quickly.
    ///
    /// The first event of a call is ``NetworkEvent/Kind/built``, the last is ``NetworkEvent/Kind/read``. If the call is
    /// cancelled or its deadline passes, an attempt or an interceptor that begins or ends at the same moment may still
    /// report after it. A request that can't be built has no call and no events.
    ///
    /// - Parameters:
    ///   - event: The event that has ended.
    ///   - call: The call as it was at the event.
    func observe(_ event: NetworkEvent, of call: NetworkCall)
}

extension NetworkCall {
    /// Reports an event that has just ended to the observers.
    ///
    /// - Parameters:
    ///   - kind: The kind of the event.
    ///   - start: The start of the event, in the time of ``clock``.
    ///   - detail: More information. It must not contain sensitive data.
    public func report(_ kind: NetworkEvent.Kind, since start: Duration, detail: String? = nil) {
        if state.observers.isEmpty { return }
        report(NetworkEvent(kind, start: start, duration: clock.now() - start, detail: detail))
    }

    /// Reports an event to the observers.
    ///
    /// - Parameter event: The event, which is created only if there are observers.
    public func report(_ event: @autoclosure () -> NetworkEvent) {
        if state.observers.isEmpty { return }
        let event = event()
        for observer in state.observers { observer.observe(event, of: self) }
    }

    /// Reports an attempt that has just ended to the observers.
    func reportAttempt(since start: Duration, _ outcome: Outcome) {
        if state.observers.isEmpty { return }
        var event = NetworkEvent(.attempt, start: start, duration: clock.now() - start, attempt: attempt)
        switch outcome {
        case .success(let response):
            event.statusCode = response.statusCode
            if response.stream == nil { event.bytes = response.body.count }
        case .failure(let error):
            event.detail = error.label
        }
        report(event)
    }
}

/// A report of an attempt and its waits for slots. It reports each of them once.
///
/// A cancelled call ends before the task of its attempt does. The cancellation then ends the report.
final class AttemptReport: Sendable {
    private let call: NetworkCall
    private let start: Duration
    private let state = Mutex<(slotStart: Duration?, hasEnded: Bool)>((nil, false))

    /// Creates a report. Returns `nil` if there are no observers.
    init?(of call: NetworkCall) {
        if call.state.observers.isEmpty { return nil }
        self.call = call
        start = call.clock.now()
    }

    /// Records the start of a wait for a slot.
    func slotWaitBegins() {
        state.withLock { $0.slotStart = call.clock.now() }
    }

    /// Reports the wait for a slot, if one has started.
    func slotWaitEnds() {
        let slotStart = state.withLock { $0.slotStart.take() }
        guard let slotStart else { return }
        call.report(
            NetworkEvent(.slot, start: slotStart, duration: call.clock.now() - slotStart, attempt: call.attempt))
    }

    /// Reports the end of the attempt, the first time it is called.
    func end(_ outcome: NetworkCall.Outcome) {
        let isFirst = state.withLock { state in
            defer { state.hasEnded = true }
            return !state.hasEnded
        }
        if !isFirst { return }
        slotWaitEnds()
        call.reportAttempt(since: start, outcome)
    }
}
