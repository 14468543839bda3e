/// Something that happened to a call, told to the observers of its configuration when it is over.
public struct NetworkEvent: Sendable, Equatable {
    /// What happened. Interceptors of an app may add kinds of their own.
    public struct Kind: RawRepresentable, Sendable, Hashable {
        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The request was made into a call: the first event of each call.
        public static let built = Kind(rawValue: "built")
        /// An exchange waited for a slot of its host.
        public static let slot = Kind(rawValue: "slot")
        /// An attempt has ended, with a response or without.
        public static let attempt = Kind(rawValue: "attempt")
        /// A redirect within an attempt was followed.
        public static let redirect = Kind(rawValue: "redirect")
        /// The response was read as a value, or the failure as an error: the last event of each call. The detail names
        /// the type and case of an error, such as `InventoryError.notFound`.
        public static let read = Kind(rawValue: "read")
    }

    public let kind: Kind
    /// When it began, in the time of the call's clock.
    public var start: Duration
    public var duration: Duration
    /// The number of an attempt, and of the one that waited for a slot or was redirected.
    public var attempt: Int?
    /// The status of an attempt's response, or of a redirect.
    public var status: Int?
    /// The length of the body of an attempt's response, in bytes; `nil` for a stream.
    public var bytes: Int?
    /// More about it. It holds nothing sensitive.
    public var detail: String?

    public init(
        _ kind: Kind, start: Duration, duration: Duration = .zero, attempt: Int? = nil, status: Int? = nil,
        bytes: Int? = nil, detail: String? = nil
    ) {
        self.kind = kind
        self.start = start
        self.duration = duration
        self.attempt = attempt
        self.status = status
        self.bytes = bytes
        self.detail = detail
    }
}

/// Is told what happens to the calls of a configuration.
public protocol NetworkObserver: Sendable {
    /// Called for each event of a call, on the thread where it happens; it must return soon.
    ///
    /// A call begins with ``NetworkEvent/Kind/built`` and ends with ``NetworkEvent/Kind/read``. If it is cancelled or its
    /// deadline passes, what an interceptor was waiting for may be told after that. A request that could not be built is no call, and has no events.
    func observe(_ event: NetworkEvent, of call: NetworkCall)
}

extension NetworkCall {
    /// Tells the observers of something that has just ended.
    ///
    /// - Parameters:
    ///   - kind: What it was.
    ///   - start: When it began, in the time of ``clock``.
    ///   - detail: More about it. It must hold nothing sensitive.
    public func report(_ kind: NetworkEvent.Kind, since start: Duration, detail: String? = nil) {
        if state.observers.isEmpty { return }
        report(NetworkEvent(kind, start: start, duration: clock.now() - start, detail: detail))
    }

    func report(_ event: @autoclosure () -> NetworkEvent) {
        if state.observers.isEmpty { return }
        let event = event()
        for observer in state.observers { observer.observe(event, of: self) }
    }

    /// Tells the observers of an attempt that has just ended.
    func reportAttempt(since start: Duration, _ outcome: Outcome) {
        if state.observers.isEmpty { return }
        var event = NetworkEvent(.attempt, start: start, duration: clock.now() - start, attempt: attempt)
        switch outcome {
        case .success(let response):
            event.status = response.statusCode
            if response.stream == nil { event.bytes = response.body.count }
        case .failure(let error):
            event.detail = error.label
        }
        report(event)
    }
}
