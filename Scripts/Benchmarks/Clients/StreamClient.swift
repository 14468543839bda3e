import Foundation
import RecordKit
import RecordKitStreaming
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Code that an app writes to read lines and events as they arrive: a delegate task that fills an AsyncThrowingStream.
///
/// It only knows lines that end with LF, has no limits, and doesn't reconnect.
struct StreamClient: Sendable {
    private let session: URLSession
    private let bodies = Bodies()

    init(_ configuration: URLSessionConfiguration) {
        session = URLSession(configuration: configuration, delegate: bodies, delegateQueue: nil)
    }

    func lines(_ url: URL) -> AsyncThrowingStream<String, any Error> {
        AsyncThrowingStream { continuation in
            bodies.read(session.dataTask(with: URLRequest(url: url)), continuation)
        }
    }

    /// Returns the number of events, after it has made each of them.
    func countEvents(_ url: URL) async throws -> Int {
        var (count, type, id) = (0, "", "")
        var data: [String] = []
        for try await line in lines(url) {
            if line.isEmpty {
                if !data.isEmpty {
                    let event = ServerSentEvent(type: type, data: data.joined(separator: "\n"), id: id)
                    if !event.data.isEmpty { count += 1 }
                }
                (type, data) = ("", [])
            } else if line.hasPrefix("data: ") {
                data.append(String(line.dropFirst(6)))
            } else if line.hasPrefix("event: ") {
                type = String(line.dropFirst(7))
            } else if line.hasPrefix("id: ") {
                id = String(line.dropFirst(4))
            }
        }
        return count
    }
}

private final class Bodies: NSObject, URLSessionDataDelegate, Sendable {
    fileprivate struct Body {
        let continuation: AsyncThrowingStream<String, any Error>.Continuation
        var rest = Data()
    }

    private let bodies = Mutex<[Int: Body]>([:])

    func read(_ task: URLSessionTask, _ continuation: AsyncThrowingStream<String, any Error>.Continuation) {
        bodies.withLock { $0[task.taskIdentifier] = Body(continuation: continuation) }
        task.resume()
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        bodies.withLock { $0[dataTask.taskIdentifier]?.append(data) }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let body = bodies.withLock { $0.removeValue(forKey: task.taskIdentifier) }
        body?.continuation.finish(throwing: error)
    }
}

extension Bodies.Body {
    mutating func append(_ data: Data) {
        rest.append(data)
        var start = rest.startIndex
        while let end = rest[start...].firstIndex(of: UInt8(ascii: "\n")) {
            continuation.yield(String(decoding: rest[start..<end], as: UTF8.self))
            start = end + 1
        }
        rest = Data(rest[start...])
    }
}
