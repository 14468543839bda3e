/// A client for requests of every kind: a ``NetworkConfiguration``, or a fake in a test.
///
/// A service that uses it has one dependency for all kinds of requests. A fake implements one method:
///
/// ```swift
/// struct Inventory {
///     let network: any NetworkClient
///
///     func title(of sku: String) async throws(InventoryError) -> String {
///         try await network.value(for: RecordService.One.fetch(sku: sku)).title
///     }
/// }
/// ```
public protocol NetworkClient: Sendable {
    /// Sends a request and returns its value. See ``NetworkManager/value(for:)``.
    ///
    /// - Parameter request: The request to send.
    /// - Returns: The value of the response.
    /// - Throws: The error of the request.
    func value<Request: NetworkRequest>(for request: Request) async throws(Request.ErrorType) -> Request.ValueType
}

extension NetworkConfiguration: NetworkClient {}

extension NetworkClient {
    /// Sends an endpoint and returns its value, for calls such as `value(for: .record("LP-0042"))`.
    ///
    /// - Parameter endpoint: The endpoint to send.
    /// - Returns: The value of the response.
    /// - Throws: The error of the endpoint.
    public func value<Value: Decodable, Failure: NetworkFailure>(
        for endpoint: Endpoint<Value, Failure>
    ) async throws(Failure) -> Value {
        func run<Request: NetworkRequest>(_ request: Request) async throws(Request.ErrorType) -> Request.ValueType {
            try await value(for: request)
        }
        return try await run(endpoint)
    }
}
