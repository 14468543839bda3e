extension NetworkConfiguration {
    /// Sends a request without a manager, and returns its value. See ``NetworkManager/value(for:)``.
    ///
    /// ``inFlight`` includes the call, and ``cancelAll()`` cancels it.
    ///
    /// - Parameter request: The request to send.
    /// - Returns: The value of the response.
    /// - Throws: The error of the request.
    public func value<Request: NetworkRequest>(
        for request: Request
    ) async throws(Request.ErrorType) -> Request.ValueType {
        try await result(of: request) { _ in }.get()
    }

    /// Changes the call of a request, sends it and returns its value. See ``NetworkManager/value(for:configure:)``.
    ///
    /// - Parameters:
    ///   - request: The request to send.
    ///   - configure: Changes the call before the interceptors.
    /// - Returns: The value of the response.
    /// - Throws: The error of the request.
    public func value<Request: NetworkRequest>(
        for request: Request, configure: @Sendable (inout NetworkCall) -> Void
    ) async throws(Request.ErrorType) -> Request.ValueType {
        try await result(of: request, configure).get()
    }

    /// Sends a request, and returns its value and response. See ``NetworkManager/reply(for:configure:)``.
    ///
    /// - Parameters:
    ///   - request: The request to send.
    ///   - configure: Changes the call before the interceptors.
    /// - Returns: The value and the response.
    /// - Throws: The error of the request.
    public func reply<Request: NetworkRequest>(
        for request: Request, configure: @Sendable (inout NetworkCall) -> Void = { _ in }
    ) async throws(Request.ErrorType) -> NetworkReply<Request.ValueType> {
        let call: NetworkCall
        do throws(NetworkError) {
            var changed = try builtCall(for: request)
            configure(&changed)
            call = changed
        } catch {
            return NetworkReply(value: try request.handleError(error).get(), response: nil)
        }
        return try await reply(of: request, call)
    }

    /// Sends a request and returns its result. The error keeps its type in a `Task` and an `async let`.
    ///
    /// - Parameter request: The request to send.
    /// - Returns: The value or the error.
    public func result<Request: NetworkRequest>(for request: Request) async -> Request.ResultType {
        await result(of: request) { _ in }
    }

    func result<Request: NetworkRequest>(
        of request: Request, _ configure: (inout NetworkCall) -> Void
    ) async -> Request.ResultType {
        do throws(NetworkError) {
            var call = try builtCall(for: request)
            configure(&call)
            return read(await outcome(of: call), of: call, as: request)
        } catch {
            return request.handleError(error)
        }
    }

    /// Sends a call that was built for a request, and reads its outcome.
    ///
    /// - Parameter begin: Receives the transfer of the call, so that a sequence can stop it.
    func reply<Request: NetworkRequest>(
        of request: Request, _ call: NetworkCall, _ begin: (Transfer) -> Void = { _ in }
    ) async throws(Request.ErrorType) -> NetworkReply<Request.ValueType> {
        let outcome = await outcome(of: call, begin)
        let value = try read(outcome, of: call, as: request).get()
        switch outcome {
        case .success(let response): return NetworkReply(value: value, response: response)
        case .failure(let error): return NetworkReply(value: value, response: error.response)
        }
    }

    /// Reads the outcome of a call as the value or error of its request.
    func read<Request: NetworkRequest>(
        _ outcome: NetworkCall.Outcome, of call: NetworkCall, as request: Request
    ) -> Request.ResultType {
        let start = call.clock.now()
        let result =
            switch outcome {
            case .success(let response): request.handleResponse(response)
            case .failure(let error): request.handleError(call.withEarlierExchanges(error))
            }
        var failure: String?
        if !call.state.observers.isEmpty, case .failure(let error) = result { failure = CaseName.of(error) }
        call.report(.read, since: start, detail: failure)
        return result
    }

    /// Returns the call of a request, with the header fields and options of this configuration, without sending it.
    ///
    /// No interceptor has changed the call: it has no credentials of theirs.
    ///
    /// - Parameter request: The request.
    /// - Returns: The call, such as for its description or `curl`.
    /// - Throws: ``NetworkError/invalidRequest(_:)`` with the invalid member.
    public func call(for request: some NetworkRequest) throws(NetworkError) -> NetworkCall {
        try call(for: request, accepting: nil)
    }

    /// Returns the call of a request that is about to be sent, and reports it as built.
    ///
    /// - Parameter type: The media type that the response must have, unless the options of the request name another.
    ///   `nil` for the usual one.
    func builtCall(for request: some NetworkRequest, accepting type: String? = nil) throws(NetworkError) -> NetworkCall
    {
        let start = clock.now()
        let call = try call(for: request, accepting: type)
        call.report(.built, since: start)
        return call
    }

    private func call(for request: some NetworkRequest, accepting type: String?) throws(NetworkError) -> NetworkCall {
        var options = options
        options.expectedType = type ?? options.expectedType
        var call = try request.call(
            in: environment, headers: inherited.all, options: options, clock: clock, observers: observers)
        call.route = route.name
        // It is read into a file, which can be sent again.
        if !transport.sendsLiveBodies, call.body?.isLive ?? false { call.body?.canBeSentAgain = true }
        return call
    }

    /// Sends the call in its own task. The caller's cancellation, ``cancelAll()`` and the deadline end it.
    ///
    /// - Parameter begin: Receives the transfer of the call, so that a sequence can stop it.
    func outcome(
        of call: NetworkCall, _ begin: (Transfer) -> Void = { _ in }
    ) async -> NetworkCall.Outcome {
        if Task.isCancelled { return .failure(.cancelled) }
        let transfer = tracked()
        begin(transfer)
        if let left = call.timeLeft {
            transfer.onEnd(call.clock.schedule(left) { transfer.stop(call.deadlinePassed()) })
        }
        return await transfer.run { [send = route.send] () async throws(NetworkError) in try await send(call) }
    }

    /// Returns a transfer that is tracked until its end.
    func tracked() -> Transfer {
        let transfer = Transfer()
        let id = tracker.makeID()
        tracker.add(id, in: scope) { transfer.stop(.cancelled) }
        transfer.onEnd { [tracker] in tracker.remove(id) }
        return transfer
    }
}
