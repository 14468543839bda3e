import Foundation
import RecordKit
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

    /// The current status. Reads the store if no call has needed the token yet.
    ///
    /// - Throws: The error of the store.
    public var status: Status {
        get async throws {
            if let known = knownStatus { return known }
            return try await tokenStore.load() == nil ? .signedOut : .signedIn
        }
    }

    /// Returns a stream of the current status and of each change.
    ///
    /// ```swift
    /// for await status in await tokens.statuses() {
    ///     isSignInShown = status != .signedIn
    /// }
    /// ```
    ///
    /// The stream ends when the source is released. It begins with the first change if the store can't be read. What
    /// another process does is seen when a token is refreshed.
    public func statuses() async -> AsyncStream<Status> {
        let (stream, id) = changes.subscribe()
        if let first = try? await status { changes.begin(id, with: first) }
        return stream
    }

    /// The subscribers to the status of a source.
    final class Changes: Sendable {
        private typealias Subscriber = (continuation: AsyncStream<Status>.Continuation, last: Status?)

        private let subscribers = Mutex<[UUID: Subscriber]>([:])

        deinit {
            for (continuation, _) in subscribers.withLock({ $0 }).values { continuation.finish() }
        }

        /// Adds a subscriber.
        func subscribe() -> (stream: AsyncStream<Status>, id: UUID) {
            let (stream, continuation) = AsyncStream.makeStream(of: Status.self)
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

/// An error of a refresh that tells whether it ends the sign-in.
///
/// ``TokenSource`` asks the errors that its closure throws. Errors of other types end it, except `NetworkError`s of a
/// token server that can't be reached or is busy.
public protocol RefreshError: Error {
    /// Whether the person has to sign in again.
    var needsSignIn: Bool { get }
}

extension NetworkError.InterceptorFailure.Kind {
    /// What an error of a refresh means.
    init(ofRefresh error: any Error) {
        switch error {
        case let error as any RefreshError: self = error.needsSignIn ? .signedOut : .other
        case NetworkError.invalidRequest: self = .other
        case NetworkError.interceptor(let failure): self = failure.kind
        case NetworkError.status(let response):
            switch response.statusCode {
            case 400, 401, 403: self = .signedOut
            case 408, 425, 429, 500...: self = .unavailable
            default: self = .other
            }
        case is NetworkError: self = .unavailable
        default: self = .signedOut
        }
    }
}
