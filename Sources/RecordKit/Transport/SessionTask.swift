import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What a ``SessionDelegate`` hands the callbacks of one task to, one after the other.
protocol SessionTask: AnyObject, Sendable {
    func didReceive(_ head: HTTPURLResponse)
    func didReceive(_ data: Data)

    /// What is being sent.
    var call: NetworkCall { get }

    /// Ends it at once, with this outcome if it had none, and its task soon after.
    func stop(_ outcome: NetworkCall.Outcome)

    /// A challenge that Linux's URLSession would wait on for ever, with the answer it was made of.
    func didReceiveChallenge(_ head: HTTPURLResponse)

    /// A redirect. The handler is called with what follows, nil to take the redirect as the answer.
    ///
    /// On Linux it must not be called once the task is cancelled: the process ends then. So whoever calls it holds a
    /// lock, which his own cancellation takes too, and nobody else may hold the task; or he does not call it at all,
    /// and cancels the task.
    func willRedirect(_ response: HTTPURLResponse, completionHandler: (URLRequest?) -> Void)

    /// The last callback. The task knows of an answer that was not announced before: on Linux a redirect that leads
    /// nowhere.
    func didComplete(_ task: URLSessionTask?, _ error: (any Error)?)
}

extension SessionTask {
    /// URLSession is about to send the body once more from its start; nil gives none.
    ///
    /// On Linux that is libcurl, whose kept connection broke: it sends the request again, whatever its method, one with
    /// a body in memory without that, and says nothing. There the connection counts as lost where that is not right.
    func makeBodyStream() -> InputStream? {
        let call = call
        let stream = call.streamToSendAgain
        if stream == nil { stop(.failure(call.connectionLost)) }
        return stream
    }
}
