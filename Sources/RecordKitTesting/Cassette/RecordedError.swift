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
        case .timedOut: timeout(.attempt, call.timeout)
        case .deadline: timeout(.deadline, call.options.deadline ?? .zero)
        case .cancelled: .cancelled
        default: connection(FailureKind.connections[kind] ?? .unknown)
        }
    }
}

/// The kind of a failure, as far as retries distinguish it.
enum FailureKind: String {
    case notConnected, nameNotFound, refused, lost, timedOut, deadline, cancelled, other

    static let connections: [FailureKind: NetworkError.ConnectionFailure.Kind] = [
        .notConnected: .notConnected, .nameNotFound: .nameNotFound, .refused: .refused, .lost: .lost,
    ]

    init(_ error: NetworkError) {
        self =
            switch error {
            case .timedOut(let timeout): timeout.limit == .deadline ? .deadline : .timedOut
            case .cancelled: .cancelled
            case .connection(let failure): Self.connections.first { $0.value == failure.kind }?.key ?? .other
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
