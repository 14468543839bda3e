import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A session delegate that passes the callbacks of each task to its ``SessionExchange``.
///
/// It serves a whole session: Linux's URLSession (Swift 6.3.1) doesn't call the delegate of a task without a completion
/// handler.
final class SessionDelegate: NSObject, URLSessionDataDelegate, Sendable {
    private let tasks = Mutex<[Int: SessionExchange]>([:])
    private let tls: (any TLSPolicy)?

    init(tls: (any TLSPolicy)?) {
        self.tls = tls
    }

    /// Passes the callbacks of a task to `handler` until the task completes.
    func add(_ handler: SessionExchange, for task: URLSessionTask) {
        tasks.withLock { $0[task.taskIdentifier] = handler }
        SessionTasks.underWay.add(1, ordering: .relaxed)
    }

    private func handler(of task: URLSessionTask) -> SessionExchange? {
        tasks.withLock { $0[task.taskIdentifier] }
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        if let head = response as? HTTPURLResponse { handler(of: dataTask)?.didReceive(head) }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        handler(of: dataTask)?.didReceive(data)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        handler(of: task)?.didSend(Int(totalBytesSent))
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        guard let handler = tasks.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) else { return }
        SessionTasks.underWay.subtract(1, ordering: .relaxed)
        handler.didComplete(task, error)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        guard let handler = handler(of: task) else { return completionHandler(nil) }
        handler.willRedirect(response, completionHandler: completionHandler)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
        completionHandler(handler(of: task)?.makeBodyStream())
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        challenge.settle(for: handler(of: task), by: tls, completionHandler)
    }
}
