extension NetworkCall {
    /// The error of a call that cannot be sent as it is.
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
    func deadlinePassed() -> NetworkError {
        .timedOut(
            Timeout(
                limit: .deadline, after: options.deadline ?? .zero, host: url.hostAndPort,
                mayHaveReachedServer: state.isSent))
    }

    /// Returns what ended the call, of which a part sees `error`: a deadline cancels all parts.
    package func deadlineIfPassed(_ error: NetworkError) -> NetworkError {
        if case .cancelled = error, timeLeft == .zero { return deadlinePassed() }
        return error
    }

    /// Returns the error with what it knows nothing of: the exchanges before the last.
    func withEarlierExchanges(_ error: NetworkError) -> NetworkError {
        if state.mayHaveReachedServer { return error.afterReachingServer() }
        if case .interceptor = error, state.isSent { return error.afterReachingServer() }
        return error
    }

    /// Returns what ended the call if its body could not be read: cancelling it ends the reading too.
    package func failure(ofBody error: InvalidRequest) -> NetworkError {
        Task.isCancelled ? .cancelled : .invalidRequest(error.named(name))
    }
}

extension NetworkError {
    /// The error in a few words, for logs.
    package var label: String {
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
