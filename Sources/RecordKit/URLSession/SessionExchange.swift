import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A data task and its outcome: exactly one response or error.
///
/// In the transport's own session, the session's delegate passes the callbacks of the task. In a session of the app,
/// the completion handler does. The exchange is also the delegate of that task, and so receives redirects and
/// challenges.
final class SessionExchange: NSObject, Sendable {
    typealias Outcome = NetworkCall.Outcome
    /// Creates a suspended task whose callbacks reach the exchange.
    typealias Maker = @Sendable (SessionExchange, NetworkCall) throws(NetworkError) -> URLSessionDataTask

    struct State: ~Copyable {
        #if canImport(Darwin)
        /// The call after a redirect that the same task follows.
        var followed: NetworkCall?
        #endif
        var completion: (@Sendable (Outcome) -> Void)?
        /// Whether the exchange is complete or stopped. Later callbacks have no effect.
        var hasEnded = false
        /// The error that the exchange ended with.
        var failure: NetworkError?
        var task: URLSessionDataTask?
        var head: NetworkResponse?
        /// The length of the body according to the head.
        var announced: Int?
        /// The head of a 401 or 407 that URLSession reported as a challenge.
        var challenge: HTTPURLResponse?
        var collector: BodyCollector
        var received = 0
        /// The writer of a streamed body, once the head was delivered.
        var writer: NetworkBytes.Writer?
    }

    private let first: NetworkCall
    private let state: Mutex<State>
    /// Handles a redirect. If it is `nil`, the redirect is the response.
    private let onRedirect: (@Sendable (SessionExchange, HTTPURLResponse, (URLRequest?) -> Void) -> Void)?

    init(
        _ call: NetworkCall,
        onRedirect: (@Sendable (SessionExchange, HTTPURLResponse, (URLRequest?) -> Void) -> Void)? = nil
    ) {
        self.onRedirect = onRedirect
        first = call
        state = Mutex(State(collector: BodyCollector(limit: call.sizeLimit)))
    }

    /// The call that is being sent.
    var call: NetworkCall {
        #if canImport(Darwin)
        state.withLock { $0.followed } ?? first
        #else
        first
        #endif
    }

    /// Whether the exchange is complete or stopped.
    var hasEnded: Bool { state.withLock { $0.hasEnded } }

    /// Sets the function to call once with the outcome, on any queue.
    ///
    /// A streamed 2xx response is delivered when its head arrives, any other at its end. If the exchange was stopped,
    /// calls the function immediately and returns false.
    func begin(_ completion: @escaping @Sendable (Outcome) -> Void) -> Bool {
        let failure = state.withLock { state in
            if !state.hasEnded { state.completion = completion }
            return state.failure
        }
        if let failure { completion(.failure(failure)) }
        return failure == nil
    }

    /// Creates and starts the task.
    func start(_ make: @escaping Maker) {
        // This may wait for the queue of all sessions. The reference is weak, so that an exchange that ends meanwhile
        // is released with its body.
        SessionTasks.begin { [weak self] in
            guard let self, !hasEnded else { return }
            do throws(NetworkError) {
                let task = try make(self, call)
                if keep(task) { task.resume() } else { task.cancel() }
            } catch {
                stop(error)
            }
        }
    }

    /// Stores the task, to cancel it when the exchange is stopped. Returns false if the exchange has already ended.
    func keep(_ task: URLSessionDataTask) -> Bool {
        state.withLock { state in
            if !state.hasEnded { state.task = task }
            return !state.hasEnded
        }
    }

    /// Ends the exchange with an error, and soon cancels its task.
    func stop(_ error: NetworkError) {
        end(.failure(error), cancelsTask: true)
    }

    private func end(_ outcome: Outcome, cancelsTask: Bool) {
        let (completion, writer, task) = state.withLock { state in
            let isFirst = !state.hasEnded
            state.hasEnded = true
            if isFirst, case .failure(let error) = outcome { state.failure = error }
            return (state.completion.take(), isFirst ? state.writer : nil, state.task.take())
        }
        if let task, cancelsTask { SessionTasks.cancel(task) }
        if let writer {
            if case .failure(let error) = outcome { writer.finish(throwing: error) } else { writer.finish() }
        }
        completion?(outcome)
    }

    // MARK: Callbacks of the task

    /// Handles the head of a response.
    func didReceive(_ head: HTTPURLResponse) {
        // Another head follows an interim one (RFC 9110 section 15.2), except for 101, which switches protocols.
        if head.statusCode < 200, head.statusCode != 101 { return }
        let response = NetworkResponse(head, of: first)
        let announced: Int?
        do throws(NetworkError) {
            // Linux's URLSession (Swift 6.3.1) accepts such fields. Another reader may see a different message.
            if response.headers.containsLineBreaks {
                let host = first.origin.hostAndPort
                throw .badResponse(NetworkError.BadResponse(host: host, cause: FramingFault.control))
            }
            announced = try response.announcedLength(for: first)
        } catch {
            return stop(error)
        }
        let (failure, completion, bytes) = state.withLock {
            state -> (NetworkError?, (@Sendable (Outcome) -> Void)?, NetworkBytes?) in
            if state.hasEnded { return (nil, nil, nil) }
            // Linux's URLSession (Swift 6.3.1) restarts a task that is suspended and resumed. Its body would be
            // appended to the one that has arrived.
            if state.head != nil { return (first.connectionLost, nil, nil) }
            state.head = response
            state.announced = announced
            guard first.delivery == .streamed, response.isSuccess else {
                return (announced ?? 0 > first.sizeLimit ? first.tooLarge : nil, nil, nil)
            }
            let (bytes, writer) = NetworkBytes.makeStream(bufferLimit: first.bufferLimit) { [weak self] in
                self?.stop(.cancelled)
            }
            state.writer = writer
            return (nil, state.completion.take(), bytes)
        }
        if let failure { stop(failure) }
        if let bytes {
            var response = response
            response.content = .stream(bytes)
            completion?(.success(response))
        }
    }

    /// Handles a chunk of the body.
    func didReceive(_ data: Data) {
        var progress: (bytes: Int, total: Int?)?
        let (failure, writer) = state.withLock { state -> (NetworkError?, NetworkBytes.Writer?) in
            if state.hasEnded { return (nil, nil) }
            state.received += data.count
            if state.writer != nil { return (nil, state.writer) }
            if first.meter != nil, state.head?.isSuccess == true {
                progress = (state.received, state.announced)
            }
            return (state.collector.append(data) ? nil : first.tooLarge, nil)
        }
        if let progress { first.report(.receiving, bytes: progress.bytes, of: progress.total) }
        if let failure { stop(failure) }
        writer?.write(data)
    }

    /// Handles the number of bytes of the body that were sent.
    func didSend(_ count: Int) {
        if state.withLock({ $0.hasEnded }) { return }
        first.report(.sending, bytes: count, of: first.body?.length)
    }

    /// Handles a challenge by keeping its response.
    ///
    /// Linux's URLSession (Swift 6.3.1) would otherwise wait forever.
    func didReceiveChallenge(_ head: HTTPURLResponse) {
        state.withLock { $0.challenge = head }
    }

    /// Handles a redirect.
    ///
    /// - Parameters:
    ///   - response: The head of the redirect.
    ///   - completionHandler: Takes the next request. If it is `nil`, the redirect is the response.
    func willRedirect(_ response: HTTPURLResponse, completionHandler: (URLRequest?) -> Void) {
        if let onRedirect { return onRedirect(self, response, completionHandler) }
        // On Linux (Swift 6.3.1), calling the handler of a cancelled task ends the process. Only this exchange cancels
        // the task, and only after it has ended. The lock keeps it from ending during the call.
        state.withLock { state in
            if !state.hasEnded { completionHandler(nil) }
        }
        // The driver doesn't wait for the body of a redirect. On Linux, the body has already arrived.
        let response = NetworkResponse(response, of: first)
        if !response.isRedirect(for: first) { return }
        #if canImport(Darwin)
        let cancelsTask = true
        #else
        let cancelsTask = false
        #endif
        end(.success(response), cancelsTask: cancelsTask)
    }

    #if canImport(Darwin)
    /// Continues with another call in the same task, as Apple's URLSession does after a redirect.
    func follow(_ call: NetworkCall) {
        state.withLock { $0.followed = call }
    }
    #endif

    /// Returns the body for a request that URLSession is about to send again. Returns `nil` for no body.
    ///
    /// On Linux, libcurl (7.88.1) sends a request again when a kept connection breaks. It does so for every method,
    /// without a body that is in memory, and without a report. If that would be wrong, the exchange ends as a lost
    /// connection.
    func makeBodyStream() -> InputStream? {
        let call = call
        let stream = call.streamToSendAgain
        if stream == nil { stop(call.connectionLost) }
        return stream
    }

    /// Handles the end of the task.
    ///
    /// - Parameters:
    ///   - task: The task, whose response may be new: Linux's URLSession (Swift 6.3.1) doesn't report the head of a
    ///     redirect without a valid target. `nil` in a session of the app.
    ///   - error: The error of the task, if any.
    func didComplete(_ task: URLSessionTask?, _ error: (any Error)?) {
        let hasSentBody: Bool? =
            if error == nil { false } else if let task { task.hasSentBody } else { hasTaskSentBody }
        let call = call
        let outcome = state.withLock { $0.outcome(of: task, error, call, hasSentBody) }
        end(outcome, cancelsTask: false)
    }

    /// Whether a task in a session of the app has sent any of the body. `nil` if that is unknown.
    ///
    /// Linux's URLSession (Swift 6.3.1) doesn't count the bytes sent from memory by a task with a completion handler.
    private var hasTaskSentBody: Bool? {
        if state.withLock({ $0.task })?.hasSentBody == true { return true }
        #if canImport(FoundationNetworking)
        if case .data = first.body?.content { return nil }
        #endif
        return false
    }
}

extension SessionExchange.State {
    fileprivate func outcome(
        of task: URLSessionTask?, _ error: (any Error)?, _ call: NetworkCall, _ hasSentBody: Bool?
    ) -> NetworkCall.Outcome {
        let head = head ?? (challenge ?? task?.response as? HTTPURLResponse).map { NetworkResponse($0, of: call) }
        // Linux's URLSession (Swift 6.3.1) reports a cancelled challenge as a cancelled task.
        let isChallenged = challenge != nil && (error as? URLError)?.code == .cancelled
        if let error, !isChallenged {
            let failure = NetworkError(error, for: call, hasResponse: head != nil, hasSentBody: hasSentBody)
            // URLSession delivers no body that it can't decode. The status of an error is told all the same.
            if case .badResponse = failure, let head, !head.isSuccess, head.headers.contains("Content-Encoding") {
                return .success(head)
            }
            return .failure(failure)
        }
        if let announced, announced != received { return .failure(call.connectionLost) }
        guard var response = head else {
            return .failure(.badResponse(NetworkError.BadResponse(host: call.origin.hostAndPort, cause: nil)))
        }
        response.body = collector.data
        return .success(response)
    }
}

extension SessionExchange: URLSessionTaskDelegate {
    /// Returns a function that creates tasks in a session of the app. RecordKit isn't that session's delegate.
    static func maker(in session: URLSession) -> Maker {
        { exchange, call throws(NetworkError) in
            let task = session.dataTask(with: URLRequest(call)) { data, response, error in
                if let head = response as? HTTPURLResponse { exchange.didReceive(head) }
                if let data { exchange.didReceive(data) }
                exchange.didComplete(nil, error)
            }
            task.delegate = exchange
            return task
        }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        willRedirect(response, completionHandler: completionHandler)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
        completionHandler(makeBodyStream())
    }

    #if canImport(FoundationNetworking)
    // Only on Linux, where a challenge can wait forever. On Apple platforms, this method would bypass the session's own
    // delegate, which may check pins.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        challenge.settle(for: self, by: nil, completionHandler)
    }
    #endif
}
