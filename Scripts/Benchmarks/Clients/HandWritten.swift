import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Calls as an app writes them without a library: URLSession's own `async` functions and a JSONDecoder.
struct RawSession: Sendable {
    let session: URLSession

    init(_ configuration: URLSessionConfiguration) {
        session = URLSession(configuration: configuration)
    }

    func value<Value: Decodable>(_ type: Value.Type, for request: URLRequest) async throws -> Value {
        let (data, response) = try await session.data(for: request)
        return try JSONDecoder().decode(type, from: data.ofSuccess(response))
    }
}

extension Data {
    /// The body of a 2xx.
    func ofSuccess(_ response: URLResponse?) throws -> Data {
        guard let response = response as? HTTPURLResponse, (200..<300).contains(response.statusCode) else {
            throw WrongAnswer("no success: \(String(describing: response))")
        }
        return self
    }
}

/// The same with delegate data tasks, which is what it takes to see a body arrive.
final class DelegateSession: NSObject, URLSessionDataDelegate, Sendable {
    private struct Transfer {
        var response: URLResponse?
        var body = Data()
        var continuation: CheckedContinuation<(Data, URLResponse?), any Error>
    }

    private let transfers = Mutex<[Int: Transfer]>([:])
    private let session = Mutex<URLSession?>(nil)

    init(_ configuration: URLSessionConfiguration) {
        super.init()
        let made = URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
        session.withLock { $0 = made }
    }

    func value<Value: Decodable>(_ type: Value.Type, for request: URLRequest) async throws -> Value {
        guard let session = session.withLock({ $0 }) else { throw WrongAnswer("no session") }
        let task = session.dataTask(with: request)
        let (data, response) = try await withCheckedThrowingContinuation { continuation in
            transfers.withLock { $0[task.taskIdentifier] = Transfer(continuation: continuation) }
            task.resume()
        }
        return try JSONDecoder().decode(type, from: data.ofSuccess(response))
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) {
        transfers.withLock { $0[dataTask.taskIdentifier]?.response = response }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        transfers.withLock { $0[dataTask.taskIdentifier]?.body.append(data) }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        guard let transfer = transfers.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) else { return }
        if let error {
            transfer.continuation.resume(throwing: error)
        } else {
            transfer.continuation.resume(returning: (transfer.body, transfer.response))
        }
    }
}
