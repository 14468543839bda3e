/// How long to wait before an attempt.
struct Backoff: Sendable {
    let base: Duration
    let cap: Duration
    let floor: Duration
    let ceiling: Duration
    let random: @Sendable () -> Double

    /// Nil when the server wants a longer wait than may be.
    func wait(
        after outcome: Result<NetworkResponse, NetworkError>, attempt: Int, of call: NetworkCall
    ) -> (time: Duration, reason: String)? {
        if case .success(let response) = outcome,
            let pause = ServerLimits(response.headers, date: call.clock.date).pause
        {
            return pause.time <= ceiling ? (max(pause.time, floor), pause.name) : nil
        }
        return (max(jittered(attempt), floor), "backoff")
    }

    /// Drawn between nothing and `base`, doubled for each attempt, up to `cap`.
    private func jittered(_ attempt: Int) -> Duration {
        var longest = base
        for _ in 1..<attempt where longest < cap { longest *= 2 }
        let share = random()
        return min(longest, cap) * (share > 0 && share < 1 ? share : 0)
    }
}
