import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// One data task and what becomes of it: exactly one response or error, whoever feeds it.
///
/// In the transport's own session the session's delegate feeds it. In a session of the caller's, its completion handler
/// does, and it is the delegate of its task, which is how redirects and challenges arrive there.
final class SessionExchange: NSObject, Sendable {
    typealias Outcome = NetworkCall.Outcome
    /// Makes a suspended task that feeds the exchange.
    typealias Maker = @Sendable (SessionExchange, NetworkCall) throws(NetworkError) -> URLSessionDataTask

    struct State: ~Copyable {
        #if canImport(Darwin)
        /// The call after a redirect that the same task follows.
        var followed: NetworkCall?
        #endif
        var completion: (@Sendable (Outcome) -> Void)?
        /// Whether nothing more is taken: it is complete, or was stopped.
        var hasEnded = false
        /// What it was stopped with.
        var failure: NetworkError?
        var task: URLSessionDataTask?
        var head: NetworkResponse?
        /// How long the body is, if its head tells.
        var announced: Int?
        /// The head of a 401 or 407 that URLSession made a challenge of.
        var challenge: HTTPURLResponse?
        var collector: BodyCollector
        var received = 0
        /// Once the head was handed on, and the body is a stream.
        var writer: NetworkBytes.Writer?
    }

    private let first: NetworkCall
    private let state: Mutex<State>
    /// Follows a redirect in the caller's place; `nil` takes the redirect as the response.
    private let onRedirect: (@Sendable (SessionExchange, HTTPURLResponse, (URLRequest?) -> Void) -> Void)?

    init(
        _ call: NetworkCall,
        onRedirect: (@Sendable (SessionExchange, HTTPURLResponse, (URLRequest?) -> Void) -> Void)? = nil
    ) {
        self.onRedirect = onRedirect
        first = call
        state = Mutex(State(collector: BodyCollector(limit: call.sizeLimit)))
    }

    /// What is being sent.
    var call: NetworkCall {
        #if canImport(Darwin)
        state.withLock { $0.followed } ?? first
        #else
        first
        #endif
    }

    /// Whether it is complete or was stopped.
    var hasEnded: Bool { state.withLock { $0.hasEnded } }

    /// Takes what is called once with the outcome, on any queue: for a streamed 2xx at its head, otherwise at the end.
    /// Returns false, and calls it at once, if the exchange was stopped before.
    func begin(_ completion: @escaping @Sendable (Outcome) -> Void) -> Bool {
        let failure = state.withLock { state in
            if !state.hasEnded { state.completion = completion }
            return state.failure
        }
        if let failure { completion(.failure(failure)) }
        return failure == nil
    }

    /// Makes the task, and starts it.
    func start(_ make: @escaping Maker) {
        // Making and starting a task may wait for the queue of all sessions. An exchange that has ended by then is not
        // kept until then: its body may be large.
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

    /// Keeps the task, to cancel it when the exchange is stopped. Returns false if that has happened.
    func keep(_ task: URLSessionDataTask) -> Bool {
        state.withLock { state in
            if !state.hasEnded { state.task = task }
            return !state.hasEnded
        }
    }

    /// Ends the exchange with an error, and cancels its task soon after.
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

    // MARK: What the task tells

    func didReceive(_ head: HTTPURLResponse) {
        // Another follows an interim one (RFC 9110 section 15.2); a switch of protocols is the last.
        if head.statusCode < 200, head.statusCode != 101 { return }
        let response = NetworkResponse(head, of: first)
        let announced = response.announcedLength(for: first)
        let (failure, completion, bytes) = state.withLock {
            state -> (NetworkError?, (@Sendable (Outcome) -> Void)?, NetworkBytes?) in
            if state.hasEnded { return (nil, nil, nil) }
            // A task that is suspended and resumed starts again, and would add its body to what has arrived.
            if state.head != nil { return (first.connectionLost, nil, nil) }
            state.head = response
            state.announced = announced
            guard first.delivery == .streamed, response.isSuccess else {
                return (announced ?? 0 > first.sizeLimit ? first.tooLarge : nil, nil, nil)
            }
            let (bytes, writer) = NetworkBytes.makeStream { [weak self] in self?.stop(.cancelled) }
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

    func didReceive(_ data: Data) {
        let (failure, writer) = state.withLock { state -> (NetworkError?, NetworkBytes.Writer?) in
            // What arrives after the end is dropped.
            if state.hasEnded { return (nil, nil) }
            state.received += data.count
            if state.writer != nil { return (nil, state.writer) }
            return (state.collector.append(data) ? nil : first.tooLarge, nil)
        }
        if let failure { stop(failure) }
        writer?.write(data)
    }

    /// Takes a challenge that Linux's URLSession would wait on for ever, with the response it was made of.
    func didReceiveChallenge(_ head: HTTPURLResponse) {
        state.withLock { $0.challenge = head }
    }

    /// Takes a redirect. `completionHandler` is called with the request that follows; `nil` takes the redirect as the
    /// response.
    func willRedirect(_ response: HTTPURLResponse, completionHandler: (URLRequest?) -> Void) {
        if let onRedirect { return onRedirect(self, response, completionHandler) }
        // On Linux the process ends if it is called for a task that has been cancelled. This exchange alone holds the
        // task, and cancels it only once it has ended.
        state.withLock { state in
            if !state.hasEnded { completionHandler(nil) }
        }
        // The driver does not wait for the body of a redirect that it follows. On Linux that has arrived by now.
        if first.options.redirects == .never || !Redirects.isRedirect(response.statusCode) { return }
        #if canImport(Darwin)
        let cancelsTask = true
        #else
        let cancelsTask = false
        #endif
        end(.success(NetworkResponse(response, of: first)), cancelsTask: cancelsTask)
    }

    #if canImport(Darwin)
    /// Goes on with another call in the same task, as Apple's sessions do after a redirect.
    func follow(_ call: NetworkCall) {
        state.withLock { $0.followed = call }
    }
    #endif

    /// Returns the body for a request that URLSession is about to send once more; `nil` gives none.
    ///
    /// On Linux that is libcurl, whose kept connection broke: it sends the request again, whatever its method, one with
    /// a body in memory without that, and reports nothing. There the connection counts as lost where that is not right.
    func makeBodyStream() -> InputStream? {
        let call = call
        let stream = call.streamToSendAgain
        if stream == nil { stop(call.connectionLost) }
        return stream
    }

    /// Takes the end of the task.
    ///
    /// - Parameter task: Knows a head that was not announced before: on Linux that of a redirect that leads nowhere.
    ///   `nil` in a session of the caller's.
    func didComplete(_ task: URLSessionTask?, _ error: (any Error)?) {
        let hasSentBody: Bool? =
            if error == nil { false } else if let task { task.hasSentBody } else { hasTaskSentBody }
        let call = call
        let outcome = state.withLock { $0.outcome(of: task, error, call, hasSentBody) }
        end(outcome, cancelsTask: false)
    }

    /// Whether a task in a session of the caller's has sent any of the body; `nil` where that is unknown: on Linux one
    /// with a completion handler does not count what it sends from memory.
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
        // Linux ends the task of a challenge that was cancelled as one that was cancelled itself.
        let isChallenged = challenge != nil && (error as? URLError)?.code == .cancelled
        if let error, !isChallenged {
            return .failure(NetworkError(error, for: call, hasResponse: head != nil, hasSentBody: hasSentBody))
        }
        if let announced, announced != received { return .failure(call.connectionLost) }
        guard var response = head else {
            return .failure(.badResponse(host: call.origin.hostAndPort, cause: nil))
        }
        response.body = collector.data
        return .success(response)
    }
}

extension NetworkResponse {
    /// The length of the body as it is delivered; `nil` where the head does not tell. That of an encoded body is the
    /// length of what is sent, these statuses have none whatever they announce (RFC 9110 section 8.6), and beside
    /// `Transfer-Encoding` it is not believed (RFC 9112 section 6.3).
    fileprivate func announcedLength(for call: NetworkCall) -> Int? {
        guard call.method != .head, statusCode != 204, statusCode != 304, let text = headers["Content-Length"],
            !text.isEmpty, ByteSet.digits.containsAll(of: text), !headers.contains("Content-Encoding"),
            !headers.contains("Transfer-Encoding")
        else { return nil }
        return text[...].number() ?? .max
    }
}
