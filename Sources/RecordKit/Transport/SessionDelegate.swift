import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Hands each task's callbacks to its attempt. One for a session, since Linux calls no delegate of a task that has no
/// completion handler.
final class SessionDelegate: NSObject, URLSessionDataDelegate, Sendable {
    private let attempts = Mutex<[Int: Attempt]>([:])

    func add(_ attempt: Attempt, for task: URLSessionTask) {
        attempts.withLock { $0[task.taskIdentifier] = attempt }
    }

    func remove(_ task: URLSessionTask) {
        let removed = attempts.withLock { $0.removeValue(forKey: task.taskIdentifier) }
        withExtendedLifetime(removed) {}
    }

    private func attempt(_ task: URLSessionTask) -> Attempt? {
        attempts.withLock { $0[task.taskIdentifier] }
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) {
        if let response = response as? HTTPURLResponse { attempt(dataTask)?.didReceive(response) }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        attempt(dataTask)?.didReceive(data)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        attempt(task)?.didComplete(error)
    }

    /// Refuses, so that the redirect is the answer; the transport follows it.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
        completionHandler(attempt(task)?.call.body?.makeStream())
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        #if canImport(FoundationNetworking)
        // Linux's default handling of a Basic challenge never ends.
        if let response = challenge.failureResponse as? HTTPURLResponse {
            attempt(task)?.didReceiveChallenge(response)
            return completionHandler(.cancelAuthenticationChallenge, nil)
        }
        #endif
        completionHandler(.performDefaultHandling, nil)
    }
}
