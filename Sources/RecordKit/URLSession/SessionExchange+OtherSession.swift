import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension SessionExchange: URLSessionTaskDelegate {
    /// Makes tasks in a session of the caller's, whose delegate, if it has one, is not ours.
    static func maker(in session: URLSession) -> Maker {
        { exchange, call throws(NetworkError) in
            let task = session.dataTask(with: URLRequest(call)) { data, response, error in
                if let head = response as? HTTPURLResponse { exchange.didReceive(head) }
                if let data { exchange.didReceive(data) }
                exchange.didComplete(nil, error)
            }
            task.delegate = exchange
            return task
        }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        willRedirect(response, completionHandler: completionHandler)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
        completionHandler(makeBodyStream())
    }

    #if canImport(FoundationNetworking)
    // On Apple's systems no challenge hangs; there this would keep the session's own delegate from checking its pins.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        challenge.settle(for: self, by: nil, completionHandler)
    }
    #endif
}
