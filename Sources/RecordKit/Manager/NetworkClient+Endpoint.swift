// With `Request.ValueType` alone, the compiler doesn't infer the value of an `Endpoint` from what the caller expects.

extension NetworkClient {
    /// Sends an endpoint without a domain error, and returns its value.
    ///
    /// ```swift
    /// let record: Record = try await network.value(
    ///     for: Endpoint(path: "records/\(sku)"))
    /// ```
    ///
    /// - Parameters:
    ///   - endpoint: The endpoint to send.
    ///   - configure: Changes the call before the interceptors.
    /// - Returns: The value of the response.
    /// - Throws: The error that ended the call.
    public func value<Value>(
        for endpoint: Endpoint<Value, NetworkError>, configure: @escaping NetworkCall.Change = { _ in }
    ) async throws(NetworkError) -> Value {
        try await outcome(of: endpoint, configure: configure).result.get()
    }

    /// Sends an endpoint without a domain error and without a value.
    ///
    /// - Parameters:
    ///   - endpoint: The endpoint to send.
    ///   - configure: Changes the call before the interceptors.
    /// - Throws: The error that ended the call.
    public func value(
        for endpoint: Endpoint<Void, NetworkError>, configure: @escaping NetworkCall.Change = { _ in }
    ) async throws(NetworkError) {
        try await outcome(of: endpoint, configure: configure).result.get()
    }
}
