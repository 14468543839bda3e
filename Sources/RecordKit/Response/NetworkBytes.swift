public import Foundation

/// A response body that is read as it arrives, in chunks of any size. It can be read only once.
///
/// The transfer ends in any of these cases:
/// - The reader reaches the end of the body.
/// - ``cancel(_:)`` is called.
/// - The task that reads the body is cancelled.
/// - The last copy of this value and of its iterators is released.
public struct NetworkBytes: AsyncSequence, Sendable {
    /// The unread chunks.
    let buffer: StreamBuffer
    /// Returns the error that the reader receives for the one that ended the transfer.
    var failure: @Sendable (NetworkError) -> NetworkError = { $0 }

    /// Returns a stream and the writer that fills it, for a transport.
    ///
    /// The writer doesn't keep the stream alive. It can be used from any thread, but not from several at once.
    ///
    /// Unread bytes above `bufferLimit` are kept in a temporary file. A source that can pause does so earlier, so that
    /// the file isn't needed.
    ///
    /// - Parameters:
    ///   - bufferLimit: The number of unread bytes that are kept in memory. Pass ``NetworkCall/bufferLimit``.
    ///   - onDrained: Called on the reader's thread when the reader has taken the last unread chunk. A source pauses
    ///     when ``Writer/write(_:)`` returns too many bytes, and resumes here. A waiting reader takes a chunk at once:
    ///     then `write` returns zero, and `onDrained` isn't called.
    ///   - onCancel: Ends the transfer. Called at most once, and only if the stream is cancelled or released before
    ///     ``Writer/finish(trailers:throwing:)``.
    /// - Returns: The stream and its writer.
    public static func makeStream(
        bufferLimit: Int = 1 << 20, onDrained: @escaping @Sendable () -> Void = {},
        onCancel: @escaping @Sendable () -> Void
    ) -> (bytes: NetworkBytes, writer: Writer) {
        let buffer = StreamBuffer(limit: bufferLimit, onDrained: onDrained, onCancel: onCancel)
        return (NetworkBytes(buffer: buffer), Writer(buffer: buffer))
    }

    /// Ends the transfer. A pending `next()`, and every later one, fails with the error.
    ///
    /// - Parameter error: The error, such as that of a parser. Default: ``NetworkError/cancelled``.
    public func cancel(_ error: NetworkError = .cancelled) {
        buffer.stop(error)
    }

    /// Returns this stream with functions that observe what the reader takes, such as to store it.
    ///
    /// The functions are called on the thread of the transfer or of the reader, and must return quickly. They must not
    /// retain the stream.
    ///
    /// - Parameters:
    ///   - onChunk: Receives each chunk when the reader takes it.
    ///   - onEnd: Called once: with `nil` when the reader has reached the end, or with the error that ended the
    ///     transfer early. A stream that is released before its end ends with ``NetworkError/cancelled``.
    /// - Returns: The stream. It shares the unread chunks with this one.
    public func observed(
        onChunk: @escaping @Sendable (Data) -> Void, onEnd: @escaping @Sendable (NetworkError?) -> Void
    ) -> NetworkBytes {
        buffer.onChunk(onChunk)
        buffer.onEnd(onEnd)
        return self
    }

    /// The fields that the server sent after the body (RFC 9110 section 6.5). Empty until the whole body was read.
    ///
    /// Treat them as the server's word about a body that has already been used, such as a checksum. URLSession shows
    /// none.
    public var trailers: HTTPHeaders { buffer.trailers }

    /// Returns an iterator over the chunks. All iterators share the unread chunks.
    public func makeAsyncIterator() -> Iterator {
        Iterator(buffer: buffer, failure: failure)
    }

    /// Iterates over the chunks of a body.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        fileprivate let buffer: StreamBuffer
        fileprivate let failure: @Sendable (NetworkError) -> NetworkError

        /// Returns the next chunk, or `nil` at the end of the body.
        ///
        /// Cancelling the task ends the transfer.
        ///
        /// - Throws: The error that ended the transfer early.
        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async throws(NetworkError)
            -> Data?
        {
            do throws(NetworkError) {
                return try await buffer.next()
            } catch {
                throw failure(error)
            }
        }
    }

    /// Writes the chunks of a stream.
    public struct Writer: Sendable {
        fileprivate weak let buffer: StreamBuffer?

        /// Appends a chunk to the stream. Drops it if the stream has ended.
        ///
        /// Write an empty chunk to get the number of unread bytes. A source does so after pausing, since `onDrained`
        /// may have been called already.
        ///
        /// - Parameter chunk: The bytes.
        /// - Returns: The number of unread bytes, or zero if the stream has ended.
        @discardableResult
        public func write(_ chunk: Data) -> Int {
            buffer?.write(chunk) ?? 0
        }

        /// Ends the stream after the unread chunks. Only the first call has an effect.
        ///
        /// - Parameters:
        ///   - trailers: The fields that followed the body. Dropped if there is an error.
        ///   - error: The error that ended the body early, or `nil` if the body is complete.
        public func finish(trailers: HTTPHeaders = HTTPHeaders(), throwing error: NetworkError? = nil) {
            buffer?.finish(error, trailers)
        }
    }
}

extension NetworkBytes {
    /// Creates a stream of data that is already there.
    ///
    /// - Parameter data: The body.
    public init(_ data: Data) {
        self.init(buffer: StreamBuffer(limit: data.count, onDrained: {}, onCancel: {}))
        _ = buffer.write(data)
        buffer.finish(nil)
    }
}
