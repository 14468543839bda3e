import Foundation
import Synchronization

extension TokenSource {
    /// Whether there is a token to sign calls with.
    @nonexhaustive
    public enum Status: Sendable, Hashable {
        /// There is a token. It may have expired.
        case signedIn
        /// There is no token.
        case signedOut
        /// There is a token that has expired or was rejected, and the token server refuses to refresh it. The person
        /// has to sign in again.
        case ended
    }

    /// The subscribers to the status of a source.
    final class StatusUpdates: Sendable {
        private typealias Subscriber = (continuation: AsyncStream<Status>.Continuation, last: Status?)

        private let subscribers = Mutex<[UUID: Subscriber]>([:])

        deinit {
            for (continuation, _) in subscribers.withLock({ $0 }).values { continuation.finish() }
        }

        /// Adds a subscriber.
        func subscribe() -> (stream: AsyncStream<Status>, id: UUID) {
            let (stream, continuation) = AsyncStream.makeStream(of: Status.self, bufferingPolicy: .bufferingNewest(1))
            let id = UUID()
            subscribers.withLock { $0[id] = (continuation, nil) }
            continuation.onTermination = { [weak self] _ in self?.subscribers.withLock { $0[id] = nil } }
            return (stream, id)
        }

        /// Sends the first status to a subscriber, unless it got a later one already.
        func begin(_ id: UUID, with status: Status) {
            subscribers.withLock { subscribers in
                guard let subscriber = subscribers[id], subscriber.last == nil else { return }
                subscribers[id]?.last = status
                subscriber.continuation.yield(status)
            }
        }

        /// Sends a status to the subscribers that don't have it.
        func send(_ status: Status) {
            subscribers.withLock { subscribers in
                for (id, subscriber) in subscribers where subscriber.last != status {
                    subscribers[id]?.last = status
                    subscriber.continuation.yield(status)
                }
            }
        }
    }
}
