import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The driver of a data task that is returned to the caller. It has exactly one outcome.
///
/// It applies the rules of ``CallDriver``, in callbacks, because the task is returned before it has a slot. Both call
/// the same function for each rule: `checked`, `adding(cookies:)`, `startExchange`, `receive`, `Redirects.next` and
/// `blamed`, `reportRedirect`, `withEarlierExchanges` and `checkingType`. ``SessionExchange`` has the size limit.
final class DataTaskDriver: Sendable {
    private struct State: ~Copyable {
        var call: NetworkCall
        var redirects: Redirects
        var task: URLSessionDataTask?
        var holdsSlot = false
    }

    private let transfer: Transfer
    private let slots: HostSlots?
    private let cookies: HTTPCookieStorage?
    private let make: SessionExchange.Maker
    private let completion: @Sendable (NetworkCall.Outcome) -> Void
    private let state: Mutex<State>

    /// Creates a driver.
    ///
    /// - Parameters:
    ///   - call: The call to send.
    ///   - transfer: The transfer of the call. Stopping it ends the data task.
    ///   - slots: The limit on concurrent exchanges.
    ///   - cookies: The cookies that the driver keeps. `nil` leaves them to the session.
    ///   - keepsCookies: Whether the session or this driver sends the cookies that a redirect sets.
    ///   - make: Creates the task of an exchange.
    ///   - completion: Called once with the outcome.
    init(
        _ call: NetworkCall, _ transfer: Transfer, slots: HostSlots?, cookies: HTTPCookieStorage?, keepsCookies: Bool,
        make: @escaping SessionExchange.Maker, completion: @escaping @Sendable (NetworkCall.Outcome) -> Void
    ) {
        self.transfer = transfer
        self.slots = slots
        self.cookies = cookies
        self.make = make
        self.completion = completion
        // URLSession stops after 20.
        let redirects = Redirects(of: call, limit: 19, keepsCookies: keepsCookies)
        state = Mutex(State(call: call, redirects: redirects))
    }

    /// Creates the task, and starts it when its host has a free slot.
    func start() throws(NetworkError) -> URLSessionDataTask {
        _ = transfer.begin { [completion] error in completion(.failure(error)) }
        let call = state.withLock { $0.call }
        let (task, isKept) = try makeTask(call)
        state.withLock { $0.task = task }
        if !isKept {
            SessionTasks.cancel(task)
            return task
        }
        if let deadline = call.timeLeft {
            let cancel = call.clock.schedule(deadline) { [weak self] in self?.deadlinePassed() }
            transfer.onEnd(cancel)
        }
        let origin = call.origin
        guard let slots, !slots.take(origin) else {
            resume(task, call)
            return task
        }
        let arrival = call.clock.now()
        let waiter = HostSlots.Waiter()
        // A session's callback usually gives the slot back, and no task can be started in a callback.
        waiter.begin { hasSlot in
            call.report(
                NetworkEvent(.slot, start: arrival, duration: call.clock.now() - arrival, attempt: call.attempt))
            if hasSlot { SessionTasks.perform { self.resume(task, call) } }
        }
        transfer.onEnd { _ = waiter.end(false) }
        slots.wait(origin, waiter)
        return task
    }

    /// Starts the task, which has a slot.
    private func resume(_ task: URLSessionDataTask, _ call: NetworkCall) {
        state.withLock { $0.holdsSlot = true }
        transfer.onEnd { [slots] in slots?.leave(call.origin) }
        if transfer.hasEnded { return }
        transfer.startExchange(of: call, within: call.timeout.limited) { [weak self] in
            self?.state.withLock { $0.call } ?? call
        }
        task.resume()
    }

    private func deadlinePassed() {
        let (call, task, holdsSlot) = state.withLock { ($0.call, $0.task, $0.holdsSlot) }
        // The app may have started the task before it had a slot.
        if !holdsSlot, task?.state != .suspended { call.state.markSent() }
        transfer.stop(call.deadlinePassed())
    }

    /// Creates the task of one exchange. The end of the transfer stops it.
    ///
    /// - Returns: The task, and whether the transfer is still running.
    private func makeTask(_ call: NetworkCall) throws(NetworkError) -> (URLSessionDataTask, isKept: Bool) {
        let sent = call.adding(cookies: cookies)
        let exchange = SessionExchange(sent) { [weak self] exchange, response, completionHandler in
            self?.follow(exchange, response, completionHandler)
        }
        _ = exchange.begin { outcome in self.finish(outcome) }
        let task = try make(exchange, sent)
        let isKept = exchange.keep(task)
        transfer.onEnd { exchange.stop(.cancelled) }
        return (task, isKept && !transfer.hasEnded)
    }

    private func follow(
        _ exchange: SessionExchange, _ response: HTTPURLResponse, _ completionHandler: (URLRequest?) -> Void
    ) {
        let redirect = NetworkResponse(response, of: exchange.call)
        let next: NetworkCall?
        do throws(NetworkError) {
            next = try self.next(after: redirect)
        } catch {
            #if canImport(Darwin)
            completionHandler(nil)
            #endif
            return transfer.stop(error)
        }
        #if canImport(FoundationNetworking)
        // On Linux (Swift 6.3.1), calling the completion handler of a cancelled task ends the process, and the app may
        // cancel the task at any time. The handler is therefore never called. The task waits, and is cancelled when the
        // task that follows it has ended.
        guard let next else { return finish(.success(redirect)) }
        SessionTasks.perform {
            do throws(NetworkError) {
                let (task, isKept) = try self.makeTask(next)
                if isKept { task.resume() } else { SessionTasks.cancel(task) }
            } catch {
                self.transfer.stop(error)
            }
        }
        #else
        if let next { exchange.follow(next) }
        completionHandler(next.map { URLRequest($0) })
        #endif
    }

    /// Returns the call that follows a redirect. Returns `nil` if the redirect is the response.
    private func next(after response: NetworkResponse) throws(NetworkError) -> NetworkCall? {
        var response = response
        let (call, result) = state.withLock { state -> (NetworkCall, Result<NetworkCall?, NetworkError>) in
            let call = state.call
            call.receive(&response, cookies)
            do throws(NetworkError) {
                guard let next = try state.redirects.next(after: response, of: call) else {
                    return (call, .success(nil))
                }
                // Linux's URLSession (Swift 6.3.1) would send an empty body. Apple platforms behave the same for
                // consistency.
                if let body = next.body, body.length != 0 {
                    throw state.redirects.refusal(.bodyCannotBeSentAgain, response, next.url.absoluteString)
                }
                state.call = next
                return (call, .success(next))
            } catch {
                return (call, .failure(error))
            }
        }
        if case .success(.some) = result {
            call.reportRedirect(response)
        }
        return try result.get()
    }

    /// Ends the transfer with the outcome of the last exchange.
    private func finish(_ outcome: NetworkCall.Outcome) {
        let result = state.withLock { state -> NetworkCall.Outcome in
            let call = state.call
            switch outcome.flatMap(call.checkingProxy) {
            case .failure(let error):
                return .failure(call.withEarlierExchanges(state.redirects.blamed(error, of: call)))
            case .success(var response):
                call.receive(&response, cookies)
                response.redirects = state.redirects.followed
                do throws(NetworkError) {
                    // URLSession doesn't report a redirect that it can't parse. The policy may still refuse it.
                    _ = try state.redirects.next(after: response, of: call)
                } catch {
                    return .failure(error)
                }
                return call.checkingType(of: response)
            }
        }
        if transfer.end() { completion(result) }
    }
}
