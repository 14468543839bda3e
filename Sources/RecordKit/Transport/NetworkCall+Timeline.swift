import Foundation

extension NetworkCall {
    /// Adds something that has just ended to the story of the call.
    ///
    /// - Parameters:
    ///   - kind: what it was.
    ///   - start: when it began, in the time of ``clock``.
    ///   - detail: more about it, which is printed as it is.
    public func record(_ kind: Timeline.Event.Kind, since start: Duration, _ detail: String? = nil) {
        // Another attempt may go on at the same time.
        let attempt = kind == .slot ? attempt : nil
        recorder.add(
            Timeline.Event(kind, start: start, duration: clock.now() - start, attempt: attempt, detail: detail))
    }

    /// Adds an attempt that has just ended.
    func recordAttempt(since start: Duration, _ outcome: NetworkCall.Outcome) {
        var event = Timeline.Event(.attempt, start: start, duration: clock.now() - start, attempt: attempt)
        var reachedServer = true
        switch outcome {
        case .success(let response):
            event.status = response.statusCode
            if response.stream == nil { event.bytes = response.body.count }
        case .failure(let error):
            event.detail = error.label
            reachedServer = error.mayHaveReachedServer
        }
        recorder.add(event, reachedServer: reachedServer)
    }

    /// Adds that it waits for an attempt of another call that is equal to it.
    func recordJoining() {
        recorder.add(Timeline.Event(.joined, start: clock.now()))
    }

    /// Adds a redirect that is followed.
    package func recordRedirect(_ statusCode: Int) {
        let event = Timeline.Event(.redirect, start: clock.now(), attempt: attempt, status: statusCode)
        recorder.add(event, reachedServer: true)
    }

    /// The story of the call so far.
    public var timeline: Timeline {
        let now = clock.now()
        let (events, start) = recorder.events
        let beginning = start ?? now
        return Timeline(
            name: name, method: method.rawValue, url: url.redacted(headers.sensitiveNames),
            date: clock.date().addingTimeInterval(-(now - beginning).timeInterval), duration: now - beginning,
            events: Self.told(events, from: beginning))
    }

    /// In the order in which they began, times since the beginning, and the wait for the first slot apart from its
    /// attempt.
    private static func told(_ events: [Timeline.Event], from beginning: Duration) -> [Timeline.Event] {
        var told: [Timeline.Event] = []
        for var event in events where event.kind != .slot || event.duration >= .microseconds(100) {
            if event.kind == .attempt {
                let parts = events.lazy.filter {
                    $0.attempt == event.attempt && $0.start >= event.start && $0.end <= event.end
                }
                // A wait after a redirect lies within the attempt.
                if let slot = parts.first(where: { $0.kind == .slot || $0.kind == .redirect }), slot.kind == .slot {
                    (event.start, event.duration) = (slot.end, event.end - slot.end)
                }
            }
            event.start -= beginning
            let next = told.firstIndex { $0.start > event.start } ?? told.endIndex
            told.insert(event, at: next)
        }
        return told
    }
}

extension Timeline.Event {
    fileprivate var end: Duration { start + duration }
}

extension NetworkError {
    /// In a few words.
    fileprivate var label: String {
        switch self {
        case .invalidRequest: "invalid request"
        case .interceptor(let failure): "ended by \(failure.interceptor)"
        case .connection(let failure): failure.label
        case .timedOut: "timed out"
        case .cancelled: "cancelled"
        case .redirectRefused: "redirect refused"
        case .badResponse: "no HTTP"
        case .tooLarge: "too large"
        case .status(let response): "\(response.statusCode)"
        case .decoding: "unexpected content"
        }
    }
}

extension ConnectionFailure {
    fileprivate var label: String {
        switch kind {
        case .notConnected: "not connected"
        case .nameNotFound: "name not found"
        case .refused: "connection refused"
        case .lost: "connection lost"
        case .tls: "no secure connection"
        case .unknown: "connection failed"
        }
    }
}
