// Compiled on Apple's platforms alone. On others this module is empty.
#if canImport(Combine)
public import Combine
import Foundation
public import RecordKit

extension NetworkManager {
    /// Returns a publisher that sends a request for each subscriber.
    ///
    /// ```swift
    /// records.publisher(for: .fetch(sku: sku))
    ///     .receive(on: DispatchQueue.main)
    ///     .sink { completion in
    ///         if case .failure(let error) = completion { showMessage("\(error)") }
    ///     } receiveValue: { record in
    ///         show(record)
    ///     }
    ///     .store(in: &subscriptions)
    /// ```
    ///
    /// The request is sent when a subscriber asks for the value. Two subscribers send two requests; `share()` sends
    /// one. Cancelling the subscription cancels the call, and nothing is delivered afterwards.
    ///
    /// The value and the completion arrive on the configuration's `completionQueue`. By default, that is a global
    /// concurrent queue.
    ///
    /// - Parameters:
    ///   - request: The request to send.
    ///   - configure: Changes the call before the interceptors.
    /// - Returns: The publisher. It delivers the value and finishes, or fails with the error of the request.
    public func publisher(
        for request: Request, configure: @escaping NetworkCall.Change = { _ in }
    ) -> NetworkPublisher<Request> {
        NetworkPublisher(manager: self, request: request, configure: configure)
    }
}

/// A publisher of the value of one request. See `NetworkManager.publisher(for:configure:)`.
public struct NetworkPublisher<Request: NetworkRequest>: Publisher {
    public typealias Output = Request.ValueType
    public typealias Failure = Request.ErrorType

    let manager: NetworkManager<Request>
    let request: Request
    let configure: NetworkCall.Change

    /// Connects a subscriber. Sends nothing before the subscriber asks for the value.
    public func receive<Receiver: Subscriber>(subscriber: Receiver)
    where Receiver.Input == Output, Receiver.Failure == Failure {
        subscriber.receive(subscription: NetworkSubscription(self, AnySubscriber(subscriber)))
    }
}

/// A subscriber and its call.
///
/// It is unchecked because a subscriber isn't `Sendable`: the lock guards both. The lock is not held while the
/// subscriber or the call is used, since each may call back.
private final class NetworkSubscription<Request: NetworkRequest>: Subscription, @unchecked Sendable {
    private let lock = NSLock()
    private let publisher: NetworkPublisher<Request>
    /// `nil` after the end and after `cancel()`.
    private var subscriber: AnySubscriber<Request.ValueType, Request.ErrorType>?
    private var isStarted = false
    private var task: NetworkTask?

    init(
        _ publisher: NetworkPublisher<Request>, _ subscriber: AnySubscriber<Request.ValueType, Request.ErrorType>
    ) {
        self.publisher = publisher
        self.subscriber = subscriber
    }

    func request(_ demand: Subscribers.Demand) {
        let starts = lock.withLock {
            guard demand > .none, !isStarted, subscriber != nil else { return false }
            isStarted = true
            return true
        }
        guard starts else { return }
        let task = publisher.manager.send(publisher.request, configure: publisher.configure) { result in
            self.finish(result)
        }
        let isCancelled = lock.withLock {
            self.task = task
            return subscriber == nil
        }
        // Cancelled before there was a task. After the end, this does nothing.
        if isCancelled { task.cancel() }
    }

    func cancel() {
        let task = lock.withLock {
            subscriber = nil
            return self.task
        }
        task?.cancel()
    }

    private func finish(_ result: Request.ResultType) {
        let subscriber = lock.withLock {
            let last = self.subscriber
            self.subscriber = nil
            return last
        }
        guard let subscriber else { return }
        switch result {
        case .success(let value):
            _ = subscriber.receive(value)
            subscriber.receive(completion: .finished)
        case .failure(let error):
            subscriber.receive(completion: .failure(error))
        }
    }
}
#endif
