extension NetworkCall {
    /// The error of a call that cannot be sent as it is.
    func invalid(_ member: NetworkError.InvalidRequest.Member, _ reason: String) -> NetworkError {
        .invalidRequest(NetworkError.InvalidRequest(request: name, member: member, reason: reason))
    }

    /// The error of a connection that broke after the call had gone out on it.
    var connectionLost: NetworkError {
        .connection(NetworkError.ConnectionFailure(kind: .lost, host: origin.hostAndPort, mayHaveReachedServer: true))
    }

    /// The error of an attempt that took longer than it may.
    var timedOut: NetworkError {
        .timedOut(NetworkError.Timeout(limit: .attempt, after: timeout, host: origin.hostAndPort))
    }

    /// The error of a body that is larger than it may be.
    var tooLarge: NetworkError { .tooLarge(limit: sizeLimit, host: origin.hostAndPort) }

    /// The error of a call whose deadline has passed.
    func deadlinePassed() -> NetworkError {
        .timedOut(
            NetworkError.Timeout(
                limit: .deadline, after: options.deadline ?? .zero, host: origin.hostAndPort,
                mayHaveReachedServer: state.isSent))
    }

    /// Returns what ended the call, of which a part sees `error`: a deadline cancels all parts.
    func deadlineIfPassed(_ error: NetworkError) -> NetworkError {
        if case .cancelled = error, timeLeft == .zero { return deadlinePassed() }
        return error
    }

    /// Returns the error with what it knows nothing of: the exchanges before the last.
    func withEarlierExchanges(_ error: NetworkError) -> NetworkError {
        if state.mayHaveReachedServer { return error.afterReachingServer() }
        if case .interceptor = error, state.isSent { return error.afterReachingServer() }
        return error
    }

    /// Returns the error with the name of the request, which a body doesn't know.
    func named(_ error: NetworkError) -> NetworkError {
        guard case .invalidRequest(let failure) = error, failure.request.isEmpty else { return error }
        return .invalidRequest(failure.named(name))
    }
}
