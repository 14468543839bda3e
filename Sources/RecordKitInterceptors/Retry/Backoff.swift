import RecordKit

/// The outcome of an attempt.
typealias Outcome = Result<NetworkResponse, NetworkError>

/// How long to wait before an attempt.
struct Backoff: Sendable {
    let base: Duration
    let cap: Duration
    let floor: Duration
    let ceiling: Duration
    let random: @Sendable () -> Double

    struct Pause {
        let time: Duration
        let reason: String
    }

    /// Nil when the server wants a longer wait than may be.
    func pause(
        after outcome: Outcome, attempt: Int, of call: NetworkCall
    ) -> Pause? {
        if let response = outcome.refusal, let pause = ServerLimits(response.headers, date: call.clock.date).pause {
            return pause.time <= ceiling ? Pause(time: max(pause.time, floor), reason: pause.name) : nil
        }
        return Pause(time: max(jittered(attempt), floor), reason: "backoff")
    }

    /// Drawn between nothing and `base`, doubled for each attempt, up to `cap`.
    private func jittered(_ attempt: Int) -> Duration {
        var longest = base
        for _ in 1..<attempt where longest < cap { longest *= 2 }
        let share = random()
        return min(longest, cap) * (share > 0 && share < 1 ? share : 0)
    }
}

extension Outcome {
    /// What the server answered; an interceptor may have made an error of it.
    fileprivate var refusal: NetworkResponse? {
        switch self {
        case .success(let response): response
        case .failure(let error): error.response
        }
    }
}
