import Synchronization

/// The reading of a streamed body: reports its progress, and its end once.
final class StreamReading: Sendable {
    private let call: NetworkCall
    private let total: Int?
    private let start: Duration
    private let count = Atomic(0)

    init(_ call: NetworkCall, total: Int?) {
        self.call = call
        self.total = total
        start = call.clock.now()
    }

    func received(_ bytes: Int) {
        let count = count.wrappingAdd(bytes, ordering: .relaxed).newValue
        call.report(.receiving, bytes: count, of: total)
    }

    /// Reports the end of the body, with the error that ended it early.
    func end(_ error: NetworkError?) {
        if let error {
            _ = call.readFailed(error, since: start)
        } else {
            let count = count.load(ordering: .relaxed)
            call.report(.receiving, bytes: count, of: count)
            call.report(.read, since: start)
        }
    }

    /// Returns the error that the reader of the body receives.
    func failure(_ error: NetworkError) -> NetworkError {
        call.deadlineIfPassed(call.withEarlierExchanges(error))
    }
}
