import RecordKit
import Synchronization

/// One refresh at a time, for all calls that wait for a new token.
final class SharedRefresh: Sendable {
    /// A refresh in progress. Tasks that it created may outlive it.
    private final class Run: Sendable {
        let owner: ObjectIdentifier
        let isOver = Atomic<Bool>(false)

        init(of owner: SharedRefresh) {
            self.owner = ObjectIdentifier(owner)
        }
    }

    /// The refreshes that the current task belongs to.
    @TaskLocal private static var runs: [Run] = []

    private let flights = Flights<Int, Void>()

    /// Whether the current task belongs to a refresh in progress.
    var includesThisTask: Bool {
        let id = ObjectIdentifier(self)
        return Self.runs.contains { $0.owner == id && !$0.isOver.load(ordering: .relaxed) }
    }

    /// Refreshes a token, or waits for the refresh of that token in progress.
    ///
    /// - Parameters:
    ///   - generation: The number of the token.
    ///   - onJoin: A closure that is called before the wait, only if the refresh was in progress already.
    ///   - work: The refresh. It runs to its end even if no call waits for it.
    func run(
        _ generation: Int, onJoin: () -> Void, work: @escaping @Sendable () async -> Result<Void, NetworkError>
    ) async throws(NetworkError) {
        try await flights.value(of: generation, endsWithLast: false, onJoin: onJoin) {
            let run = Run(of: self)
            defer { run.isOver.store(true, ordering: .relaxed) }
            return await Self.$runs.withValue(Self.runs + [run]) { await work() }
        }
    }

    /// Ends the refresh in progress, unless the current task belongs to it. The calls that wait go on at once.
    func end() {
        if !includesThisTask { flights.endAll(with: .success(())) }
    }
}
