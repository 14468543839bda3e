import RecordKit

/// What a call without an answer failed with, as far as a retry tells it apart.
enum FailureKind: String {
    case notConnected, nameNotFound, refused, lost, timedOut, other

    init(_ error: NetworkError) {
        switch error {
        case .connection(let failure): self.init(failure.kind)
        case .timedOut: self = .timedOut
        default: self = .other
        }
    }

    private init(_ kind: ConnectionFailure.Kind) {
        switch kind {
        case .notConnected: self = .notConnected
        case .nameNotFound: self = .nameNotFound
        case .refused: self = .refused
        case .lost: self = .lost
        case .tls, .unknown: self = .other
        }
    }

    func error(of call: NetworkCall, _ cause: RecordedFailure) -> NetworkError {
        let host = call.url.hostAndPort
        func connection(_ kind: ConnectionFailure.Kind, mayHaveReachedServer: Bool) -> NetworkError {
            .connection(
                ConnectionFailure(kind: kind, host: host, mayHaveReachedServer: mayHaveReachedServer, cause: cause))
        }
        return switch self {
        case .notConnected: connection(.notConnected, mayHaveReachedServer: false)
        case .nameNotFound: connection(.nameNotFound, mayHaveReachedServer: false)
        case .refused: connection(.refused, mayHaveReachedServer: false)
        case .lost: connection(.lost, mayHaveReachedServer: true)
        case .timedOut:
            .timedOut(Timeout(limit: .attempt, after: call.options.timeout ?? .seconds(60), host: host))
        case .other: connection(.unknown, mayHaveReachedServer: true)
        }
    }
}
