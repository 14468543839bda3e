#if canImport(FoundationNetworking)
import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif

/// What ``NetworkManager`` does, for code that wants another in its place.
public protocol NetworkManagerProtocol<Request>: Sendable {
    associatedtype Request: NetworkRequest

    /// See ``NetworkManager/request(_:in:completion:)``.
    @discardableResult
    func request(
        _ request: Request, in session: URLSession?, completion: @escaping @Sendable (Request.ResultType) -> Void
    ) -> URLSessionDataTask?

    /// See ``NetworkManager/value(for:)``.
    func value(for request: Request) async throws(Request.ErrorType) -> Request.ValueType

    /// How many calls and data tasks are under way.
    var inFlight: Int { get }

    /// Cancels all of them.
    func cancelAll()
}
