extension NetworkManager where Request.ErrorType: NetworkFailure {
    /// Sends a request that switches its connection to another protocol (RFC 9110 section 7.8), and returns the 101.
    ///
    /// The call passes the interceptors like any other, and ``inFlight`` includes it until the stream of the response
    /// ends. ``cancelAll()`` and the deadline of the request end the stream with their error. The deadline of the
    /// configuration doesn't apply, and the timeout applies to the head alone. With the head, the slot is given back.
    ///
    /// The transport decides what the stream contains. A transport that doesn't switch protocols has no response with
    /// this status. To pass it what it needs, declare a ``RequestOption``.
    ///
    /// - Parameters:
    ///   - request: The request to send.
    ///   - configure: Changes the call before the interceptors.
    /// - Returns: The response with the status 101. Releasing its stream ends the call.
    /// - Throws: ``NetworkError/status(_:)`` with the collected body for any other status, as the error of the request.
    public func upgrade(
        for request: Request, configure: @Sendable (inout NetworkCall) -> Void = { _ in }
    ) async throws(Request.ErrorType) -> NetworkResponse {
        do throws(NetworkError) {
            return try await configuration.upgrade(request, configure)
        } catch {
            throw Request.ErrorType(error)
        }
    }
}

extension NetworkConfiguration {
    fileprivate func upgrade(
        _ request: some NetworkRequest, _ configure: (inout NetworkCall) -> Void
    ) async throws(NetworkError) -> NetworkResponse {
        var network = self
        // The deadline of all requests would end each connection. A deadline of this request applies.
        network.options.deadline = nil
        var call = try network.builtCall(for: request)
        call.delivery = .streamed
        configure(&call)
        let start = call.clock.now()
        do throws(NetworkError) {
            let response = try await network.outcome(of: call).get()
            guard response.isUpgrade else {
                if response.stream == nil { throw .status(response) }
                throw .status(try await response.collected(for: call))
            }
            call.report(.read, since: start)
            return response
        } catch {
            throw call.readFailed(error, since: start)
        }
    }
}
