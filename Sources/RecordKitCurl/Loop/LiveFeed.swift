import Foundation
import RecordKit
import Synchronization

/// The chunks of a live request body, on their way from the task that makes them to the thread of the event loop.
///
/// It holds one chunk at a time: the task waits until the chunk was sent.
final class LiveFeed: Sendable {
    fileprivate struct State: ~Copyable {
        var chunk = Data()
        var end: Result<Void, NetworkError>?
        var trailers = HTTPHeaders()
        /// Whether libcurl waits for bytes.
        var isWanted = false
        /// The task that waits until the chunk was sent.
        var maker: UnsafeContinuation<Void, Never>?
        var isClosed = false
    }

    private let state = Mutex(State())
    /// Has the event loop read again.
    private let resume: @Sendable () -> Void

    init(resume: @escaping @Sendable () -> Void) {
        self.resume = resume
    }

    /// Reads the body until its end or its failure.
    ///
    /// - Returns: The task that reads. Cancel it, and call ``close()``, when the transfer ends.
    func read(_ body: EncodedBody) -> Task<Void, Never> {
        Task {
            var reader = EncodedBody.Reader(body)
            do throws(NetworkError) {
                while let chunk = try await reader.next() { await put(chunk) }
                finish(.success(()), reader.trailers)
            } catch {
                finish(.failure(error))
            }
        }
    }

    /// Moves bytes into a buffer of libcurl.
    func take(into buffer: UnsafeMutableRawBufferPointer) throws(NetworkError) -> BodySource.Reading {
        let (reading, maker) = state.withLock {
            state -> (Result<BodySource.Reading, NetworkError>, UnsafeContinuation<Void, Never>?) in
            if state.chunk.isEmpty {
                guard let end = state.end else {
                    state.isWanted = true
                    return (.success(.wait), nil)
                }
                return (end.map { .end }, nil)
            }
            let part = state.chunk.prefix(buffer.count)
            part.copyBytes(to: buffer)
            state.chunk = state.chunk.dropFirst(part.count)
            return (.success(.bytes(part.count)), state.chunk.isEmpty ? state.maker.take() : nil)
        }
        maker?.resume()
        return try reading.get()
    }

    /// Lets the task go on to its end. Nothing is sent any more.
    func close() {
        let maker = state.withLock { state in
            state.isClosed = true
            return state.maker.take()
        }
        maker?.resume()
    }

    /// Hands over a chunk, and waits until it was sent.
    private func put(_ chunk: Data) async {
        if chunk.isEmpty { return }
        await withUnsafeContinuation { continuation in
            let (isClosed, isWanted) = state.withLock { state in
                if !state.isClosed { (state.chunk, state.maker) = (chunk, continuation) }
                return (state.isClosed, state.takeWanted())
            }
            if isClosed { continuation.resume() } else if isWanted { resume() }
        }
    }

    /// The fields to send after the last chunk.
    var trailers: HTTPHeaders { state.withLock { $0.trailers } }

    private func finish(_ end: Result<Void, NetworkError>, _ trailers: HTTPHeaders = HTTPHeaders()) {
        let isWanted = state.withLock { state in
            (state.end, state.trailers) = (end, trailers)
            return state.takeWanted()
        }
        if isWanted { resume() }
    }
}

extension LiveFeed.State {
    fileprivate mutating func takeWanted() -> Bool {
        defer { isWanted = false }
        return isWanted
    }
}
