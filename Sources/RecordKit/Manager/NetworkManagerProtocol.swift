/// What sends requests of one kind: a ``NetworkManager``, or a fake in a test.
public protocol NetworkManagerProtocol<Request>: Sendable {
    associatedtype Request: NetworkRequest

    /// Runs a whole call. See ``NetworkManager/value(for:)``.
    func value(for request: Request) async throws(Request.ErrorType) -> Request.ValueType
}

extension NetworkManagerProtocol {
    /// Runs a whole call, whose error keeps its type in a `Task` and an `async let`.
    public func result(for request: Request) async -> Request.ResultType {
        do throws(Request.ErrorType) {
            return .success(try await value(for: request))
        } catch {
            return .failure(error)
        }
    }
}
