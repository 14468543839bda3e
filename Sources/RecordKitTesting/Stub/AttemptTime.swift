import RecordKit

/// What is left of the time that one attempt may take, all its redirects included.
struct AttemptTime {
    private var call: NetworkCall
    private var left: Duration
    /// Whether some server has had the request before this one.
    private(set) var wasRedirected = false

    init(of call: NetworkCall) {
        self.call = call
        left = call.timeout
    }

    mutating func follow(_ next: NetworkCall) {
        call = next
        wasRedirected = true
    }

    mutating func wait(_ duration: Duration) async throws(NetworkError) {
        if duration <= .zero { return }
        if duration > left { try await runOut() }
        left -= duration
        try await call.sleep(for: duration)
    }

    func runOut() async throws(NetworkError) -> Never {
        try await call.sleep(for: left)
        throw call.timedOut
    }
}
