import RecordKit
import Synchronization

/// A source of the elements of a ``NetworkSequence``. Only one task uses it at a time.
protocol ElementProducer<Element, Failure>: Sendable {
    associatedtype Element: Sendable
    associatedtype Failure: Error

    /// Sends the request and returns the head of the response. It is called once, before anything else.
    mutating func open(_ lifetime: StreamLifetime) async throws(Failure) -> NetworkResponse

    /// Returns at least one element, or the end. It isn't called after the end.
    mutating func next(_ lifetime: StreamLifetime) async -> ElementBatch<Element, Failure>
}

/// Elements that became available together, and how the sequence ends after them.
struct ElementBatch<Element: Sendable, Failure: Error>: Sendable {
    var elements: [Element] = []
    /// The end of the sequence. `nil` if it continues.
    var end: Result<Void, Failure>?
}

/// The elements of a ``NetworkSequence``, shared by all its iterators.
final class ElementSource<Element: Sendable, Failure: Error>: Sendable {
    private struct State {
        /// The producer. `nil` while a task uses it, and after the end.
        var producer: (any ElementProducer<Element, Failure>)?
        /// The elements that can be read without waiting, and the position of the next one.
        var ready: [Element] = []
        var position = 0
        var head: NetworkResponse?
        /// How the sequence ends after the elements that are ready.
        var end: Result<Void, Failure>?
        /// The tasks that wait until another one has used the producer.
        var waiting: [UnsafeContinuation<Void, Never>] = []

        mutating func takeReady() -> Element? {
            guard position < ready.count else { return nil }
            defer { position += 1 }
            return ready[position]
        }
    }

    /// What a task does next.
    private enum Turn {
        case use(any ElementProducer<Element, Failure>, isOpen: Bool)
        case element(Element)
        case end(Result<Void, Failure>)
        case wait
    }

    let lifetime = StreamLifetime()
    private let state: Mutex<State>
    private let failure: @Sendable (NetworkError) -> Failure

    init(
        _ producer: some ElementProducer<Element, Failure>, failure: @escaping @Sendable (NetworkError) -> Failure
    ) {
        state = Mutex(State(producer: producer))
        self.failure = failure
    }

    /// Returns the next element if it is available without waiting.
    func takeReady() -> Element? {
        if lifetime.isCancelled || Task.isCancelled { return nil }
        return state.withLock { $0.takeReady() }
    }

    /// Returns the next element, or `nil` at the end.
    func next() async throws(Failure) -> Element? {
        try await cancellable { () async throws(Failure) -> Element? in
            while true {
                switch turn() {
                case .element(let element): return element
                case .end(let end):
                    try end.get()
                    return nil
                case .wait: await wait()
                case .use(let producer, isOpen: false): await open(producer)
                case .use(var producer, isOpen: true):
                    let batch = await producer.next(lifetime)
                    giveBack(producer) { state in
                        (state.ready, state.position, state.end) = (batch.elements, 0, batch.end)
                    }
                }
            }
        }
    }

    /// Returns the head, or fails with the error that the call ended with before its head.
    func head() async throws(Failure) -> NetworkResponse {
        try await cancellable { () async throws(Failure) -> NetworkResponse in
            while true {
                // Takes the producer under the same lock: another task may open it, and read its elements, after that.
                let (head, end, producer) = state.withLock { state in
                    (state.head, state.end, state.head == nil ? state.producer.take() : nil)
                }
                if let head { return head }
                if case .failure(let error) = end { throw error }
                if let producer { await open(producer) } else { await wait { $0.head != nil } }
            }
        }
    }

    private func open(_ producer: any ElementProducer<Element, Failure>) async {
        var producer = producer
        do throws(Failure) {
            let head = try await producer.open(lifetime)
            giveBack(producer) { $0.head = head }
        } catch {
            giveBack(producer) { $0.end = .failure(error) }
        }
    }

    /// Runs `work`. Cancelling the task, or ``StreamLifetime/cancel()``, ends the call.
    private func cancellable<Value: Sendable>(
        _ work: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let result = await withTaskCancellationHandler {
            do throws(Failure) {
                return Result<Value, Failure>.success(try await work())
            } catch {
                return .failure(error)
            }
        } onCancel: {
            lifetime.cancel()
        }
        return try result.get()
    }

    /// Returns what to do next: takes the producer if it is needed and no other task uses it.
    private func turn() -> Turn {
        let cancelled = lifetime.isCancelled ? failure(.cancelled) : nil
        return state.withLock { state in
            if let cancelled {
                let isUnread = state.producer.take() != nil || state.position < state.ready.count
                (state.ready, state.position) = ([], 0)
                if isUnread { state.end = .failure(cancelled) }
            }
            if let element = state.takeReady() { return .element(element) }
            if let end = state.end { return .end(end) }
            guard let producer = state.producer.take() else { return .wait }
            return .use(producer, isOpen: state.head != nil)
        }
    }

    /// Waits until another task has used the producer. Returns immediately if the state satisfies the condition.
    private func wait(unless isReady: (borrowing State) -> Bool = { _ in false }) async {
        await withUnsafeContinuation { continuation in
            let mustWait = state.withLock { state in
                if state.producer != nil || state.end != nil || isReady(state) { return false }
                state.waiting.append(continuation)
                return true
            }
            if !mustWait { continuation.resume() }
        }
    }

    /// Stores the outcome of using the producer, and lets the waiting tasks continue.
    private func giveBack(
        _ producer: any ElementProducer<Element, Failure>, _ change: (inout sending State) -> Void
    ) {
        let (waiting, hasEnded) = state.withLock { state in
            change(&state)
            // Releases the producer, and with it the stream, at the end.
            if state.end == nil { state.producer = producer }
            defer { state.waiting = [] }
            return (state.waiting, state.end != nil)
        }
        if hasEnded { lifetime.setStream(nil) }
        for continuation in waiting { continuation.resume() }
    }
}
