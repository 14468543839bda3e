import RecordKit

extension CommandFailure {
    /// Creates the failure of a change, or of another request. Throws `CancellationError` if the request was
    /// interrupted.
    init(_ error: InventoryError) throws(CancellationError) {
        if let failure = error.cause?.cause as? EmbeddedStoreError {
            // The store's own message: no network is involved.
            self.init(.failed, failure.description)
        } else if case .network(.cancelled) = error {
            throw CancellationError()
        } else {
            self.init(error.exitCode, error.description)
        }
    }
}

extension InventoryError {
    /// What went wrong on the way to the server.
    fileprivate var cause: NetworkError? {
        switch self {
        case .unanswered(let cause, _), .notMade(let cause), .network(let cause): cause
        default: nil
        }
    }

    fileprivate var exitCode: ExitCode {
        switch self {
        case .unanswered(.cancelled, _), .notMade(.cancelled): .interrupted
        case .unanswered, .notMade: .network
        case .notFound: .notFound
        case .conflict, .tooManyConflicts, .superseded, .alreadyMade: .conflict
        case .partlyMade: .partlyDone
        case .noLock(isChanged: false), .noLedger(isChanged: false): .notAllowed
        case .noLock(isChanged: true), .noLedger(isChanged: true): .failed
        case .network(.connection), .network(.timedOut), .network(.badResponse): .network
        case .noShop, .notSignedIn, .notAllowed: .notAllowed
        case .rateLimited, .heldBack: .rateLimited
        case .unreadable, .refused, .halfRestored, .otherFormat, .network: .failed
        }
    }
}
