/// Whether a connection is alive, judged once in each interval.
struct WebSocketHeartbeat {
    enum Health {
        case alive
        /// Nothing has arrived in an interval. A ping finds out why.
        case quiet
        /// Nothing has arrived since the ping, either.
        case dead
    }

    /// Whether anything has arrived since the last check.
    private var isHeard = false
    private var awaitsPong = false

    /// Notes that something has arrived.
    mutating func heard() {
        isHeard = true
    }

    /// Judges the interval that has ended.
    ///
    /// - Parameter isPaused: Whether nothing is read, because the app is slow.
    mutating func check(isPaused: Bool) -> Health {
        if isHeard || isPaused {
            (isHeard, awaitsPong) = (false, false)
            return .alive
        }
        defer { awaitsPong = true }
        return awaitsPong ? .dead : .quiet
    }
}
