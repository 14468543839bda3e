extension NetworkConfiguration {
    /// Runs a whole call without a manager: counted in ``inFlight``, ended by ``cancelAll()``. See
    /// ``NetworkManager/value(for:)``.
    public func value<Request: NetworkRequest>(
        for request: Request
    ) async throws(Request.ErrorType) -> Request.ValueType {
        try await result(of: request, scope: 0).get()
    }

    /// Runs a whole call that is changed first. See ``NetworkManager/value(for:configure:)``.
    public func value<Request: NetworkRequest>(
        for request: Request, configure: @Sendable (inout NetworkCall) -> Void
    ) async throws(Request.ErrorType) -> Request.ValueType {
        try await result(of: request, scope: 0, configure).get()
    }

    /// Runs a whole call, and returns the response beside the value. See ``NetworkManager/reply(for:configure:)``.
    public func reply<Request: NetworkRequest>(
        for request: Request, configure: @Sendable (inout NetworkCall) -> Void = { _ in }
    ) async throws(Request.ErrorType) -> NetworkReply<Request.ValueType> {
        try await reply(of: request, scope: 0, configure)
    }

    /// Runs a whole call, whose error keeps its type in a `Task` and an `async let`.
    public func result<Request: NetworkRequest>(for request: Request) async -> Request.ResultType {
        await result(of: request, scope: 0)
    }

    func result<Request: NetworkRequest>(
        of request: Request, scope: UInt64, _ configure: (inout NetworkCall) -> Void = { _ in }
    ) async -> Request.ResultType {
        do throws(NetworkError) {
            var call = try call(for: request)
            configure(&call)
            return read(await outcome(of: call, scope: scope), of: call, as: request)
        } catch {
            return request.handleError(error)
        }
    }

    func reply<Request: NetworkRequest>(
        of request: Request, scope: UInt64, _ configure: (inout NetworkCall) -> Void
    ) async throws(Request.ErrorType) -> NetworkReply<Request.ValueType> {
        let call: NetworkCall
        do throws(NetworkError) {
            var changed = try self.call(for: request)
            configure(&changed)
            call = changed
        } catch {
            return NetworkReply(value: try request.handleError(error).get(), response: nil)
        }
        let outcome = await outcome(of: call, scope: scope)
        let value = try read(outcome, of: call, as: request).get()
        switch outcome {
        case .success(let response): return NetworkReply(value: value, response: response)
        case .failure(let error): return NetworkReply(value: value, response: error.response)
        }
    }

    /// Reads what came of a call as its value or its error.
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

    func call(for request: some NetworkRequest) throws(NetworkError) -> NetworkCall {
        let start = clock.now()
        var call = try request.call(
            in: environment, headers: inherited.all, options: options, clock: clock, observers: observers)
        call.route = route.name
        call.report(.built, since: start)
        return call
    }

    /// Runs the chain in a task of its own, which the caller's cancellation, ``cancelAll()`` and the deadline end.
    private func outcome(of call: NetworkCall, scope: UInt64) async -> NetworkCall.Outcome {
        if Task.isCancelled { return .failure(.cancelled) }
        let transfer = tracked(in: scope)
        if let left = call.timeLeft {
            transfer.onEnd(call.clock.schedule(left) { transfer.stop(call.deadlinePassed()) })
        }
        return await transfer.run { [send = route.send] () async throws(NetworkError) in try await send(call) }
    }

    /// A transfer that is counted until its end.
    func tracked(in scope: UInt64) -> Transfer {
        let transfer = Transfer()
        let id = tracker.makeID()
        tracker.add(id, in: scope) { transfer.stop(.cancelled) }
        transfer.onEnd { [tracker] in tracker.remove(id) }
        return transfer
    }
}
