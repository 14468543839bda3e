public import Foundation
import RecordKit

/// The reason why a recorded call has no response.
public struct RecordedError: Error, Sendable, Hashable, CustomStringConvertible, LocalizedError {
    /// The message of the original error.
    public let description: String
    let kind: FailureKind
    let mayHaveReachedServer: Bool

    /// The same as ``description``.
    public var errorDescription: String? { description }
}

extension RecordedError {
    func error(of call: NetworkCall) -> NetworkError {
        let host = call.origin.hostAndPort
        func connection(_ kind: NetworkError.ConnectionFailure.Kind) -> NetworkError {
            .connection(
                NetworkError.ConnectionFailure(
                    kind: kind, host: host, mayHaveReachedServer: mayHaveReachedServer, cause: self))
        }
        func timeout(_ limit: NetworkError.Timeout.Limit, _ after: Duration) -> NetworkError {
            .timedOut(
                NetworkError.Timeout(limit: limit, after: after, host: host, mayHaveReachedServer: mayHaveReachedServer)
            )
        }
        return switch kind {
        case .notConnected: connection(.notConnected)
        case .nameNotFound: connection(.nameNotFound)
        case .refused: connection(.refused)
        case .lost: connection(.lost)
        case .timedOut: timeout(.attempt, call.timeout)
        case .deadline: timeout(.deadline, call.options.deadline ?? .zero)
        case .cancelled: .cancelled
        case .other: connection(.unknown)
        }
    }
}

/// The kind of a failure, as far as retries distinguish it.
enum FailureKind: String {
    case notConnected, nameNotFound, refused, lost, timedOut, deadline, cancelled, other

    init(_ error: NetworkError) {
        self =
            switch error {
            case .timedOut(let timeout): timeout.limit == .deadline ? .deadline : .timedOut
            case .cancelled: .cancelled
            case .connection(let failure):
                switch failure.kind {
                case .notConnected: .notConnected
                case .nameNotFound: .nameNotFound
                case .refused: .refused
                case .lost: .lost
                case .tls, .proxyRefused, .unknown: .other
                }
            default: .other
            }
    }

    /// Whether a failure of this kind may have reached the server, if the recording doesn't say.
    var mayHaveReachedServer: Bool {
        switch self {
        case .notConnected, .nameNotFound, .refused: false
        case .lost, .timedOut, .deadline, .cancelled, .other: true
        }
    }
}
