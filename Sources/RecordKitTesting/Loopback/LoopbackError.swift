import Foundation

/// What can go wrong with a `LoopbackServer`, seen from the test.
public enum LoopbackError: Error, Equatable, CustomStringConvertible {
    /// The system refused a socket: which call failed, and its `errno`.
    case socket(operation: String, code: Int32)
    /// The server was stopped before what the test waited for had come.
    case stopped(waitingFor: String)
    /// What the test waited for did not come in time; `received` lists the request lines that had come.
    case timedOut(waitingFor: String, limit: Duration, received: [String])
    /// The waiting task was cancelled.
    case cancelled(waitingFor: String)

    public var description: String {
        switch self {
        case .socket(let operation, let code):
            "The loopback server could not start: \(operation) failed, \(String(cString: strerror(code))) (\(code))."
        case .stopped(let waited):
            "The loopback server was stopped before it had seen \(waited)."
        case .timedOut(let waited, let limit, let received):
            "The loopback server did not see \(waited) within \(limit). "
                + (received.isEmpty
                    ? "It received no request." : "It received: \(received.joined(separator: "; ")).")
        case .cancelled(let waited):
            "The task was cancelled while it waited for \(waited)."
        }
    }
}
