import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Runs the exchanges of an attempt, by the same rules for every transport: validation, slots, the timeout, cookies,
/// redirects, the size limit, collecting the body, the expected type, events.
struct CallDriver: Sendable {
    let transport: any NetworkTransport
    /// Where cookies are kept and sent from.
    let cookies: HTTPCookieStorage?

    /// Sends a call through the interceptors, the first of them outermost, to this driver.
    func chain(_ interceptors: [any NetworkInterceptor]) -> NetworkCall.Next {
        var next: NetworkCall.Next = { (call) async throws(NetworkError) in try await attempt(call) }
        for interceptor in interceptors.reversed() {
            next = { [next] (call) async throws(NetworkError) in
                do throws(NetworkError) {
                    return try await interceptor.intercept(call, next: next)
                } catch {
                    throw call.deadlineIfPassed(error)
                }
            }
        }
        return next
    }

    private func attempt(_ call: NetworkCall) async throws(NetworkError) -> NetworkResponse {
        // An interceptor that waited may wake before the deadline ends the call: after a machine's sleep both have passed.
        if call.timeLeft == .zero { throw call.deadlinePassed() }
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

    /// The response that redirects lead to.
    private func response(
        to first: NetworkCall, _ report: AttemptReport?
    ) async throws(NetworkError) -> NetworkResponse {
        var call = try first.checked()
        // Before the slot and the timer: reading a body takes none of the time of an exchange.
        if case .stream = call.body?.content { call.body = try await call.body?.spooled() }
        var redirects = Redirects(of: call, keepsCookies: cookies != nil)
        var timeLeft = call.timeout.limited
        while true {
            let transfer = Transfer()
            if Task.isCancelled { throw .cancelled }
            if let slots = transport.slots {
                let origin = call.origin
                if !slots.take(origin) { try await wait(for: slots, origin, report) }
                transfer.onEnd { slots.leave(origin) }
            }
            call.state.markSent()
            let start = call.clock.now()
            transfer.setTimer(call.clock, after: timeLeft) { [call] in call.timedOut }
            var response = try await exchange(call, transfer)
            response.redirects = redirects.followed
            guard redirects.applies(to: response) else {
                if let stream = response.stream { response = try await delivered(response, stream, to: call, transfer) }
                if response.body.count > call.sizeLimit { throw call.tooLarge }
                return try call.checkingType(of: response).get()
            }
            // The body of a redirect is not waited for.
            response.body = Data()
            guard let next = try redirects.next(after: response, of: call) else { return response }
            call.report(
                NetworkEvent(.redirect, start: call.clock.now(), attempt: call.attempt, status: response.statusCode))
            timeLeft -= call.clock.now() - start
            call = next
        }
    }

    private func wait(
        for slots: HostSlots, _ origin: Origin, _ report: AttemptReport?
    ) async throws(NetworkError) {
        report?.slotWaitBegins()
        defer { report?.slotWaitEnds() }
        try await slots.enter(origin)
    }

    /// Performs one exchange. The transfer ends with it, or with the stream of its response.
    private func exchange(_ call: NetworkCall, _ transfer: Transfer) async throws(NetworkError) -> NetworkResponse {
        var response = try await transfer.run { () async throws(NetworkError) in
            try await transport.exchange(cookies.map { call.adding(cookies: $0) } ?? call)
        }.get()
        call.state.markReached()
        if let cookies { SetCookie.keep(response.headers, from: call.url, in: cookies) }
        if !call.headers.sensitiveNames.isEmpty { response.headers.markSensitive(call.headers.sensitiveNames) }
        return response
    }

    /// The response with its stream as the call wants it delivered.
    private func delivered(
        _ response: NetworkResponse, _ bytes: NetworkBytes, to call: NetworkCall, _ transfer: Transfer
    ) async throws(NetworkError) -> NetworkResponse {
        if call.delivery == .streamed, response.isSuccess {
            // From now on the timeout bounds each wait of the reader.
            transfer.clearTimer()
            bytes.buffer.onWait { [weak transfer] in
                guard let transfer else { return {} }
                transfer.setTimer(call.clock, after: call.timeout.limited) { call.timedOut }
                return { transfer.clearTimer() }
            }
        } else {
            return try await response.collected(for: call)
        }
        return response
    }
}

extension NetworkCall {
    /// Returns this call with the cookies for its address, unless it has a `Cookie` field of its own.
    func adding(cookies storage: HTTPCookieStorage) -> NetworkCall {
        if headers.contains("Cookie") { return self }
        var call = self
        call.headers["Cookie"] = SetCookie.field(from: storage, for: url)
        return call
    }
}
