extension NetworkConfiguration {
    /// A whole call without a manager: counted in ``inFlight``, ended by ``cancelAll()``. See
    /// ``NetworkManager/value(for:)``.
    public func value<Request: NetworkRequest>(
        for request: Request
    ) async throws(Request.ErrorType) -> Request.ValueType {
        try await result(of: request, scope: 0).get()
    }

    func result<Request: NetworkRequest>(of request: Request, scope: UInt64) async -> Request.ResultType {
        let call: NetworkCall
        do throws(NetworkError) {
            call = try self.call(for: request)
        } catch {
            return request.handleError(error)
        }
        let outcome = Task.isCancelled ? .failure(.cancelled) : await outcome(of: call, scope: scope)
        return read(outcome, of: call, as: request)
    }

    /// The end of a call, on both ways to run.
    func read<Request: NetworkRequest>(
        _ outcome: NetworkCall.Outcome, of call: NetworkCall, as request: Request
    ) -> Request.ResultType {
        let start = call.clock.now()
        let result =
            switch outcome {
            case .success(let response): request.handleResponse(response)
            case .failure(let error): request.handleError(call.withEarlierAttempts(error))
            }
        var failure: String?
        if case .failure(let error) = result { failure = CaseName.of(error) }
        call.record(.read, since: start, failure)
        onTimeline?(call.timeline)
        return result
    }

    func call(for request: some NetworkRequest) throws(NetworkError) -> NetworkCall {
        let start = clock.now()
        var call = try request.call(in: environment, headers: inherited.all, options: options, clock: clock)
        call.way = ObjectIdentifier(way)
        call.record(.built, since: start)
        return call
    }

    /// Runs the chain in a task of its own, which the caller's cancellation, ``cancelAll()`` and the deadline all end,
    /// also while an interceptor waits.
    private func outcome(of call: NetworkCall, scope: UInt64) async -> NetworkCall.Outcome {
        let (send, run) = (way.send, call.recorder.run)
        let id = tracker.makeID()
        tracker.add(id, in: scope) { run.leave() }
        defer { tracker.remove(id) }
        return call.deadline == nil ? await run.outcome(of: call, send) : await outcomeInTime(of: call, send)
    }

    @inline(never)
    private func outcomeInTime(of call: NetworkCall, _ send: @escaping NetworkCall.Next) async -> NetworkCall.Outcome {
        await withTaskGroup(of: Bool.self) { [run = call.recorder.run] group in
            group.addTask {
                // Asked here, since a test may move its clock before this task begins.
                do { try await call.clock.sleep(call.timeLeft ?? .zero) } catch { return false }
                run.leave()
                return true
            }
            let outcome = await run.outcome(of: call, send)
            group.cancelAll()
            let isLate = await group.next() ?? false
            if isLate, case .failure(.cancelled) = outcome { return .failure(call.deadlinePassed()) }
            return outcome
        }
    }
}
