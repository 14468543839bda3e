extension NetworkCall {
    /// The error of a call that cannot be sent as it is.
    @inline(never)
    func invalid(_ member: InvalidRequest.Member, _ reason: String) -> NetworkError {
        .invalidRequest(InvalidRequest(request: name, member: member, reason: reason))
    }

    /// The error of a connection that broke after the call had gone out on it.
    var connectionLost: NetworkError {
        .connection(ConnectionFailure(kind: .lost, host: url.hostAndPort, mayHaveReachedServer: true))
    }

    /// The error of an attempt that took longer than it may.
    package var timedOut: NetworkError { .timedOut(Timeout(limit: .attempt, after: timeout, host: url.hostAndPort)) }

    /// The error of a body that is larger than it may be.
    package var tooLarge: NetworkError { .tooLarge(TooLarge(limit: sizeLimit, host: url.hostAndPort)) }

    /// The error of a call whose deadline has passed.
    func deadlinePassed(mayHaveReachedServer: Bool = true) -> NetworkError {
        .timedOut(
            Timeout(
                limit: .deadline, after: options.deadline ?? .zero, host: url.hostAndPort,
                mayHaveReachedServer: mayHaveReachedServer))
    }

    /// What ended the call, of which a part sees this error: a deadline ends all parts by cancelling them.
    package func deadlineIfPassed(_ error: NetworkError) -> NetworkError {
        if case .cancelled = error, timeLeft == .zero { return deadlinePassed() }
        return error
    }

    /// The error with what it knows nothing of: the attempts before the last; and of an interceptor's, any attempt.
    func withEarlierAttempts(_ error: NetworkError) -> NetworkError {
        if recorder.mayHaveReachedServer { return error.afterReachingServer() }
        if case .interceptor = error, recorder.hasBegunSending { return error.afterReachingServer() }
        return error
    }

    /// What ended the call when its body could not be read: cancelling it ends the reading too.
    package func failure(ofBody error: InvalidRequest) -> NetworkError {
        Task.isCancelled ? .cancelled : .invalidRequest(error.named(name))
    }

    /// What ended the call when an attempt was cancelled before it was sent.
    var cancelledUnsent: NetworkError {
        timeLeft == .zero ? deadlinePassed(mayHaveReachedServer: recorder.hasBegunSending) : .cancelled
    }
}
