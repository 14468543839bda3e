import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The driver that runs the exchanges of an attempt.
///
/// It applies the same rules to every transport: validation, slots, the timeout, cookies, redirects, the size limit,
/// the expected type and events.
struct CallDriver: Sendable {
    let transport: any NetworkTransport
    let traits: TransportTraits
    /// The storage that cookies are sent from and saved to. `nil` for none.
    let cookies: HTTPCookieStorage?

    init(transport: any NetworkTransport, cookies: HTTPCookieStorage?) {
        self.transport = transport
        traits = transport.traits
        self.cookies = cookies
    }

    /// Returns a function that sends a call through the interceptors to this driver. The first interceptor is the
    /// outermost, except that those that sign come last.
    func chain(_ interceptors: [any NetworkInterceptor]) -> NetworkCall.Next {
        var next: NetworkCall.Next = { (call) async throws(NetworkError) in try await attempt(call) }
        for interceptor in interceptors.signingLast.reversed() {
            next = { [next] (call) async throws(NetworkError) in
                do throws(NetworkError) {
                    return try await interceptor.intercept(call, next: next)
                } catch {
                    throw call.deadlineIfPassed(call.named(error))
                }
            }
        }
        return next
    }

    private func attempt(_ call: NetworkCall) async throws(NetworkError) -> NetworkResponse {
        // After the machine has slept, an interceptor's wait may end before the deadline's timer fires.
        if call.timeLeft == .zero { throw call.deadlinePassed() }
        // The call has ended and reported its last event.
        if Task.isCancelled { throw .cancelled }
        guard let report = AttemptReport(of: call) else { return try await outcome(of: call, nil).get() }
        let result = await withTaskCancellationHandler {
            await outcome(of: call, report)
        } onCancel: {
            report.end(.failure(call.deadlineIfPassed(.cancelled)))
        }
        report.end(result)
        return try result.get()
    }

    private func outcome(of call: NetworkCall, _ report: AttemptReport?) async -> NetworkCall.Outcome {
        do throws(NetworkError) {
            return .success(try await response(to: call, report))
        } catch {
            let error = call.deadlineIfPassed(call.withEarlierExchanges(call.named(error)))
            if error.mayHaveReachedServer { call.state.markReached() }
            return .failure(error)
        }
    }

    /// Returns the response at the end of the redirects.
    private func response(
        to first: NetworkCall, _ report: AttemptReport?
    ) async throws(NetworkError) -> NetworkResponse {
        var call = try first.checked()
        // Reads the stream before the slot is taken.
        if let body = call.body, !body.isLive || !traits.sendsLiveBodies {
            call.body = try await spooled(body, of: call)
        }
        var redirects = Redirects(of: call, keepsCookies: cookies != nil)
        var timeLeft = call.timeout.limited
        while true {
            let transfer = Transfer()
            if Task.isCancelled { throw .cancelled }
            var start = call.clock.now()
            var sent = call.adding(cookies: cookies)
            var response: NetworkResponse
            if let stored = try await stored(for: &sent) {
                response = stored
            } else {
                if let slots = traits.slots {
                    let origin = call.origin
                    if !slots.take(origin) {
                        try await wait(for: slots, origin, report)
                        // Other calls may have changed the cookies.
                        sent = call.adding(cookies: cookies)
                    }
                    transfer.holdSlot { slots.leave(origin) }
                }
                call.meter?.restart()
                start = call.clock.now()
                transfer.startExchange(of: call, within: timeLeft) { [call] in call }
                do throws(NetworkError) {
                    response = try await exchangeOrStored(sent, transfer)
                } catch {
                    throw redirects.blamed(error, of: call)
                }
            }
            response.redirects = redirects.followed
            guard response.isRedirect(for: call) else {
                if let stream = response.stream { response = try await delivered(response, stream, to: call, transfer) }
                // The limit doesn't apply to a whole stream, even if the transport returned it as data.
                let isStream = call.delivery == .streamed && response.isSuccess
                if !isStream, response.body.count > call.sizeLimit { throw call.tooLarge }
                call.reportEnd(of: response)
                return try call.checkingType(of: response).get()
            }
            // The driver doesn't wait for the body of a redirect.
            response.body = Data()
            guard let next = try redirects.next(after: response, of: call) else { return response }
            call.reportRedirect(response)
            timeLeft -= call.clock.now() - start
            call = next
        }
    }

    /// Reads the streams of a body into files. The timeout applies to each wait for a chunk.
    private func spooled(_ body: EncodedBody, of call: NetworkCall) async throws(NetworkError) -> EncodedBody {
        if body.length != nil { return body }
        let transfer = Transfer()
        let wait: @Sendable () -> Void = {
            transfer.setTimer(call.clock, after: call.timeout.limited) { call.timedOutUnsent }
        }
        wait()
        return try await transfer.run { () async throws(NetworkError) in try await body.spooled(onChunk: wait) }.get()
    }

    private func wait(
        for slots: HostSlots, _ origin: URLOrigin, _ report: AttemptReport?
    ) async throws(NetworkError) {
        report?.slotWaitBegins()
        defer { report?.slotWaitEnds() }
        try await slots.enter(origin)
    }

    /// Performs one exchange. After its failure, returns the response that the transport has stored for that case.
    private func exchangeOrStored(
        _ call: NetworkCall, _ transfer: Transfer
    ) async throws(NetworkError) -> NetworkResponse {
        do throws(NetworkError) {
            return try await exchange(call, transfer)
        } catch {
            if error.isCancelled || Task.isCancelled { throw error }
            var failed = call
            guard let stored = try await stored(for: &failed, after: error) else { throw error }
            return stored
        }
    }

    /// Performs one exchange. The transfer ends with the exchange, or with the stream of the response.
    func exchange(_ call: NetworkCall, _ transfer: Transfer) async throws(NetworkError) -> NetworkResponse {
        try await transfer.run { () async throws(NetworkError) in
            var response = try await call.checkingProxy(transport.exchange(call)).get()
            call.receive(&response, cookies)
            return response
        } endingWith: {
            $0.stream?.buffer
        }
        .get()
    }

    /// Returns the response with its body streamed or collected, as the call asks.
    private func delivered(
        _ response: NetworkResponse, _ bytes: NetworkBytes, to call: NetworkCall, _ transfer: Transfer
    ) async throws(NetworkError) -> NetworkResponse {
        guard call.delivery == .streamed && response.isSuccess || response.isUpgrade else {
            return try await response.collected(for: call)
        }
        transfer.clearTimer()
        if response.isUpgrade {
            // The other protocol has its own rules for silence, and the connection serves no other exchange.
            transfer.giveSlotBack()
            return response
        }
        // From here on, the timeout applies to each wait for a chunk.
        bytes.buffer.onWait { [weak transfer] in
            guard let transfer else { return {} }
            transfer.setTimer(call.clock, after: call.timeout.limited) { call.timedOut }
            return { transfer.clearTimer() }
        }
        return response
    }
}

extension NetworkCall {
    /// Reports that the body was sent, and that the body of the response was received, unless it is a stream.
    fileprivate func reportEnd(of response: NetworkResponse) {
        guard let meter, response.isSuccess else { return }
        if let length = body?.length { meter.update(.sending, length, length) }
        if response.stream == nil { meter.update(.receiving, response.body.count, response.body.count) }
    }

    /// Handles a response that has arrived, with any status: keeps its cookies, marks its sensitive fields and hands it
    /// the decoder of the session.
    ///
    /// Stored fields that the transport has merged into the response set no cookies.
    func receive(_ response: inout NetworkResponse, _ cookies: HTTPCookieStorage?) {
        state.markReached()
        if let cookies { SetCookie.keep(response.receivedHeaders ?? response.headers, from: url, in: cookies) }
        response.markSensitive(headers.sensitiveNames)
        response.decoder = session?.decoder
    }

    /// Reports that a redirect is followed.
    func reportRedirect(_ response: NetworkResponse) {
        report(NetworkEvent(.redirect, start: clock.now(), attempt: attempt, statusCode: response.statusCode))
    }

    /// Returns this call with the cookies for its URL, unless it already has a `Cookie` field or there is no storage.
    func adding(cookies storage: HTTPCookieStorage?) -> NetworkCall {
        guard let storage, !headers.contains("Cookie") else { return self }
        var call = self
        call.headers["Cookie"] = SetCookie.field(from: storage, for: url)
        return call
    }
}

extension Transfer {
    /// Records that a call is sent, and starts the timer of its attempt.
    ///
    /// - Parameter current: Returns the call at the end of the time, which a redirect may have changed.
    func startExchange(
        of call: NetworkCall, within time: Duration, _ current: @escaping @Sendable () -> NetworkCall
    ) {
        call.state.markSent()
        setTimer(call.clock, after: time) { current().endedByTimeout() }
    }
}
