/// A client for requests of one type: a ``NetworkManager``, or a fake in a test.
public protocol NetworkManagerProtocol<Request>: Sendable {
    /// The type of the requests.
    associatedtype Request: NetworkRequest

    /// Sends a request and returns its value. See ``NetworkManager/value(for:)``.
    ///
    /// - Parameter request: The request to send.
    /// - Returns: The value of the response.
    /// - Throws: The error of the request.
    func value(for request: Request) async throws(Request.ErrorType) -> Request.ValueType
}

extension NetworkManagerProtocol {
    /// Sends a request and returns its result. The error keeps its type in a `Task` and an `async let`.
    ///
    /// - Parameter request: The request to send.
    /// - Returns: The value or the error.
    public func result(for request: Request) async -> Request.ResultType {
        do throws(Request.ErrorType) {
            return .success(try await value(for: request))
        } catch {
            return .failure(error)
        }
    }
}
