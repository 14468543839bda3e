public import Foundation
import RecordKit

/// Why a recorded call had no answer.
public struct RecordedFailure: Error, Sendable, Hashable, CustomStringConvertible, LocalizedError {
    /// What was reported at the time.
    public let description: String
    let kind: FailureKind
    let mayHaveReachedServer: Bool

    public var errorDescription: String? { description }
}

extension RecordedFailure {
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
