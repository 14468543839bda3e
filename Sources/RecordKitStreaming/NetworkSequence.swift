public import RecordKit

/// The elements of a response, which are read as they arrive: chunks, lines, events, list elements or pages.
///
/// ```swift
/// for try await line in network.lines(for: ServerLog()) { print(line) }
/// ```
///
/// The call starts with the first `next()` or ``response``. Everything that reads a sequence shares its elements: a
/// second loop continues where the first one stopped. Every error is a `Failure`, and ends the sequence.
///
/// The call ends in any of these cases:
/// - The reader reaches the end.
/// - ``cancel()`` or `cancelAll()` is called.
/// - The task that reads is cancelled.
/// - The last copy of this value and of its iterators is released.
///
/// The standard library's `first(where:)`, `contains` and `reduce` over such a sequence crash the compiler in some
/// places (Swift 6.3.1). Use the methods of this type instead.
public struct NetworkSequence<Element: Sendable, Failure: Error>: AsyncSequence, Sendable {
    private let source: ElementSource<Element, Failure>

    init(_ producer: some ElementProducer<Element, Failure>) where Failure: NetworkFailure {
        source = ElementSource(producer) { Failure($0) }
    }

    /// The head of the first response: its status, header fields and URL, without a body.
    ///
    /// Sends the request if that hasn't happened yet, and waits for the head.
    public var response: NetworkResponse {
        get async throws(Failure) { try await source.head() }
    }

    /// Ends the call. A pending `next()`, and every later one, fails as cancelled.
    public func cancel() {
        source.lifetime.cancel()
    }

    /// Returns an iterator over the unread elements. All iterators share them.
    public func makeAsyncIterator() -> Iterator {
        Iterator(source: source)
    }

    /// Iterates over the elements.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        fileprivate let source: ElementSource<Element, Failure>

        /// Returns the next element, or `nil` at the end.
        ///
        /// Cancelling the task ends the call.
        ///
        /// - Throws: The error that ended the call early.
        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async throws(Failure)
            -> Element?
        {
            if let element = source.takeReady() { return element }
            return try await source.next()
        }
    }
}

extension NetworkSequence {
    /// Returns the first element, or `nil` if there is none. The sequence can be read on from there.
    ///
    /// - Throws: The error that ended the call early.
    public nonisolated(nonsending) func first() async throws(Failure) -> Element? {
        var elements = makeAsyncIterator()
        return try await elements.next()
    }

    /// Returns the first element that satisfies a condition. The sequence can be read on from there.
    ///
    /// - Parameter condition: Returns whether an element is the one to return.
    /// - Returns: The element, or `nil` if the sequence ends first.
    /// - Throws: The error that ended the call early.
    public nonisolated(nonsending) func first(where condition: (Element) -> Bool) async throws(Failure) -> Element? {
        var elements = makeAsyncIterator()
        while let element = try await elements.next() {
            if condition(element) { return element }
        }
        return nil
    }

    /// Combines all elements, such as chunks to a checksum.
    ///
    /// - Parameters:
    ///   - initial: The value to start with.
    ///   - combine: Changes the value by an element.
    /// - Returns: The value after the last element.
    /// - Throws: The error that ended the call early.
    public nonisolated(nonsending) func reduce<Value>(
        into initial: Value, _ combine: (inout Value, Element) -> Void
    ) async throws(Failure) -> Value {
        var value = initial
        var elements = makeAsyncIterator()
        while let element = try await elements.next() { combine(&value, element) }
        return value
    }

    /// Returns the elements in an array.
    ///
    /// - Parameter limit: The number of elements after which to stop. The sequence can be read on from there.
    /// - Returns: The elements, at most as many as the limit.
    /// - Throws: The error that ended the call early.
    public nonisolated(nonsending) func collect(upTo limit: Int = .max) async throws(Failure) -> [Element] {
        var all: [Element] = []
        var elements = makeAsyncIterator()
        while all.count < limit, let element = try await elements.next() { all.append(element) }
        return all
    }
}
