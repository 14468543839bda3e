import RecordKit

/// What a call without an answer failed with, as far as a retry tells it apart.
enum FailureKind: String {
    case notConnected, nameNotFound, refused, lost, timedOut, deadline, cancelled, other

    init(_ error: NetworkError) {
        switch error {
        case .connection(let failure): self.init(failure.kind)
        case .timedOut(let timeout): self = timeout.limit == .deadline ? .deadline : .timedOut
        case .cancelled: self = .cancelled
        default: self = .other
        }
    }

    private init(_ kind: NetworkError.ConnectionFailure.Kind) {
        switch kind {
        case .notConnected: self = .notConnected
        case .nameNotFound: self = .nameNotFound
        case .refused: self = .refused
        case .lost: self = .lost
        case .tls, .unknown: self = .other
        }
    }

    /// Whether a failure of this kind may have reached the server, where a recording does not say.
    var mayHaveReachedServer: Bool {
        switch self {
        case .notConnected, .nameNotFound, .refused: false
        case .lost, .timedOut, .deadline, .cancelled, .other: true
        }
    }
}
