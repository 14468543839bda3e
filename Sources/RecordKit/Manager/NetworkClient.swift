/// What sends requests of every kind: a ``NetworkConfiguration``, or a fake in a test.
///
/// A service that depends on it needs one dependency for all its kinds of requests, and a fake one method:
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
    /// Runs a whole call. See ``NetworkManager/value(for:)``.
    func value<Request: NetworkRequest>(for request: Request) async throws(Request.ErrorType) -> Request.ValueType
}

extension NetworkConfiguration: NetworkClient {}

extension NetworkClient {
    /// Runs a whole call of an endpoint that is named by its function alone: `value(for: .record("LP-0042"))`.
    public func value<Value: Decodable, Failure: NetworkFailure>(
        for endpoint: Endpoint<Value, Failure>
    ) async throws(Failure) -> Value {
        func run<Request: NetworkRequest>(_ request: Request) async throws(Request.ErrorType) -> Request.ValueType {
            try await value(for: request)
        }
        return try await run(endpoint)
    }
}
