public import Foundation

/// A body as it arrives, in pieces of any size, to be read once.
///
/// The transfer ends when nobody holds this value, an iterator of it or a response with it any more.
public struct NetworkBytes: AsyncSequence, Sendable {
    public typealias Element = Data
    public typealias Failure = NetworkError

    private let source: Source

    /// - Parameters:
    ///   - next: gives the next piece, nil at the end; called by each reader, of whom there should be one.
    ///   - cancel: ends the transfer; called once, when nobody reads any more, also after the end.
    public init(
        next: @escaping @Sendable () async throws(NetworkError) -> Data?, cancel: @escaping @Sendable () -> Void
    ) {
        source = Source(next: next, cancel: cancel)
    }

    public func makeAsyncIterator() -> Iterator {
        Iterator(source: source)
    }

    public struct Iterator: AsyncIteratorProtocol, Sendable {
        fileprivate let source: Source

        public mutating func next(isolation actor: isolated (any Actor)?) async throws(NetworkError) -> Data? {
            try await source.next()
        }
    }

    fileprivate final class Source: Sendable {
        let next: @Sendable () async throws(NetworkError) -> Data?
        private let cancel: @Sendable () -> Void

        init(next: @escaping @Sendable () async throws(NetworkError) -> Data?, cancel: @escaping @Sendable () -> Void) {
            self.next = next
            self.cancel = cancel
        }

        deinit { cancel() }
    }
}
