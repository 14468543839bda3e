import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What a ``SessionDelegate`` hands the callbacks of one task to, one after the other.
protocol SessionTask: AnyObject, Sendable {
    func didReceive(_ head: HTTPURLResponse)
    func didReceive(_ data: Data)

    /// A challenge that Linux's URLSession would wait on for ever, with the answer it was made of.
    func didReceiveChallenge(_ head: HTTPURLResponse)

    /// The TLS policy does not trust the server.
    func didRefuseServer(_ error: NetworkError)

    /// A redirect. The handler is called with what follows, nil to take the redirect as the answer, and not at all once
    /// the task is to be cancelled: on Linux an answer that comes after the cancellation ends the process. So the two
    /// have one order, which whoever implements this keeps by a lock.
    func willRedirect(_ response: HTTPURLResponse, completionHandler: (URLRequest?) -> Void)

    /// The last callback. The head is that of an answer that was not announced before: on Linux a redirect that leads
    /// nowhere.
    func didComplete(_ head: HTTPURLResponse?, _ error: (any Error)?)
}
