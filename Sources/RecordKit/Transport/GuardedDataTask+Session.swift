import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension GuardedDataTask: URLSessionTaskDelegate {
    /// A task in a session of the caller's, whose delegate, if it has one, is not ours.
    func makeTask(for call: NetworkCall, in session: URLSession) -> URLSessionDataTask {
        let task = session.dataTask(with: URLRequest(call)) { data, response, error in
            let head = response as? HTTPURLResponse
            if let head { self.didReceive(head) }
            if let data { self.didReceive(data) }
            self.didComplete(head, error)
        }
        task.delegate = self
        return task
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        willRedirect(response, completionHandler: completionHandler)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        challenge.settle(for: self, completionHandler)
    }
}
