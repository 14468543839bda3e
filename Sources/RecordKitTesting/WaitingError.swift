/// Why a test did not get to see what it waited for.
public enum WaitingError: Error, Equatable, CustomStringConvertible {
    /// It did not come in time. `received` names what had come: a method and a target for each request,
    /// sensitive items redacted.
    case timedOut(waitingFor: String, limit: Duration, received: [String])
    /// The server was stopped first.
    case stopped(waitingFor: String)
    /// The waiting task was cancelled.
    case cancelled(waitingFor: String)

    public var description: String {
        switch self {
        case .timedOut(let waited, let limit, let received):
            "After \(limit), still no sign of \(waited). "
                + (received.isEmpty ? "No request was received." : "Received: \(received.joined(separator: ", ")).")
        case .stopped(let waited):
            "The server was stopped while a task waited for \(waited)."
        case .cancelled(let waited):
            "The task was cancelled while it waited for \(waited)."
        }
    }
}
