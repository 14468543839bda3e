public import Foundation

/// A response body as it arrives, in chunks of any size. It can be read once.
///
/// The transfer ends when the body has been read to its end, when ``cancel()`` is called, when the task that reads it is
/// cancelled, or when the last copy of this value and of its iterators is released.
public struct NetworkBytes: AsyncSequence, Sendable {
    let buffer: StreamBuffer

    /// Returns a stream and the writer that fills it, for a transport.
    ///
    /// The writer does not keep the stream alive. One writer writes at a time; any thread may.
    ///
    /// - Parameters:
    ///   - onDrained: Called when the reader has taken the last chunk that was unread, on the reader's thread. A source
    ///     pauses if ``Writer/write(_:)`` returns too much, and goes on here. It isn't called for a chunk that a waiting
    ///     reader takes at once, for which `write` returns zero.
    ///   - onCancel: Ends the transfer. Called at most once, and only if the stream is cancelled or released before
    ///     ``Writer/finish(throwing:)``.
    public static func makeStream(
        onDrained: @escaping @Sendable () -> Void = {}, onCancel: @escaping @Sendable () -> Void
    ) -> (bytes: NetworkBytes, writer: Writer) {
        let buffer = StreamBuffer(onDrained: onDrained, onCancel: onCancel)
        return (NetworkBytes(buffer: buffer), Writer(buffer: buffer))
    }

    /// Ends the transfer. A pending `next()`, and every later one, fails with ``NetworkError/cancelled``.
    public func cancel() {
        buffer.stop(.cancelled)
    }

    public func makeAsyncIterator() -> Iterator {
        Iterator(buffer: buffer)
    }

    public struct Iterator: AsyncIteratorProtocol, Sendable {
        fileprivate let buffer: StreamBuffer

        /// Returns the next chunk, or `nil` at the end of the body.
        ///
        /// - Throws: What ended the transfer early. Cancelling the task ends the transfer.
        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async throws(NetworkError)
            -> Data?
        {
            try await buffer.next()
        }
    }

    /// Fills a stream.
    public struct Writer: Sendable {
        fileprivate weak let buffer: StreamBuffer?

        /// Adds a chunk. An empty one adds nothing; it asks how many bytes are unread, such as after pausing, when
        /// `onDrained` may have been called already.
        ///
        /// - Returns: How many bytes have been written and not yet read. Zero if the stream has ended: the chunk is
        ///   dropped.
        @discardableResult
        public func write(_ chunk: Data) -> Int {
            buffer?.write(chunk) ?? 0
        }

        /// Ends the stream, after the chunks that are still unread. Calls after the first are ignored.
        ///
        /// - Parameter error: What broke the body off; `nil` for a complete body.
        public func finish(throwing error: NetworkError? = nil) {
            buffer?.finish(error)
        }
    }
}
