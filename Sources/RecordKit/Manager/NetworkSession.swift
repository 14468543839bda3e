/// A session sends requests of every kind with one configuration, and tracks them.
///
/// ```swift
/// let network = NetworkSession("https://api.store.example/v1")
/// let record = try await network.value(
///     for: RecordService.One.fetch(sku: "LP-0042"))
/// ```
///
/// An app makes a session once, and passes it to whatever sends requests. `RecordKitStreaming` adds `lines(for:)` and
/// other streams. ``NetworkManager`` sends requests of one type with a session, also with completions, as
/// `NetworkManager(network).send(request) { … }` does, and as data tasks.
public final class NetworkSession: NetworkClient {
    /// A session with the default transport, without an environment and without interceptors.
    public static let shared = NetworkSession()

    /// The configuration of the session.
    public let configuration: NetworkConfiguration
    /// The header fields of every request, merged with the defaults once.
    private let headers: HTTPHeaders
    private let chain: NetworkCall.Next
    let state: SessionState

    /// Creates a session with the settings that most apps change, as in `NetworkSession("https://store.example/v1")`.
    /// ``NetworkConfiguration`` has all of them.
    ///
    /// - Parameters:
    ///   - environment: The environment that relative base URLs are joined to. `nil` requires absolute ones.
    ///   - transport: The transport that sends calls.
    ///   - interceptors: The interceptors of calls, outermost first.
    ///   - headers: The header fields of every request.
    ///   - options: The options of requests that don't set their own.
    public convenience init(
        _ environment: NetworkEnvironment? = nil, transport: any NetworkTransport = URLSessionTransport(),
        interceptors: [any NetworkInterceptor] = [], headers: HTTPHeaders = HTTPHeaders(),
        options: RequestOptions = RequestOptions()
    ) {
        self.init(
            NetworkConfiguration(
                environment: environment, transport: transport, interceptors: interceptors, headers: headers,
                options: options))
    }

    /// Creates a session.
    ///
    /// - Parameter configuration: The configuration of the session.
    public init(_ configuration: NetworkConfiguration) {
        self.configuration = configuration
        headers = DefaultHeaders.merged(with: configuration.markedHeaders)
        chain = CallDriver(transport: configuration.transport, cookies: configuration.cookies)
            .chain(configuration.interceptors)
        state = SessionState(interceptors: configuration.interceptors, decoder: configuration.decoder)
    }

    private init(_ session: NetworkSession, at environment: NetworkEnvironment) {
        var configuration = session.configuration
        configuration.environment = environment
        self.configuration = configuration
        (headers, chain, state) = (session.headers, session.chain, session.state)
    }

    /// Returns this session at another environment, such as that of a tenant.
    ///
    /// ```swift
    /// let tenant = network.at(environment.appending("tenants/\(id)"))
    /// let records = NetworkManager<RecordService.One>(tenant)
    /// ```
    ///
    /// Only ``NetworkConfiguration/environment`` differs: the transport, the interceptors and the cookies are those of
    /// this session. ``inFlight`` and ``cancelAll()`` of both include the calls of both. A request with an absolute
    /// base URL is sent to that URL. A credential is sent only to the origins of its own scope.
    ///
    /// - Parameter environment: The environment that relative base URLs are joined to.
    public func at(_ environment: NetworkEnvironment) -> NetworkSession {
        NetworkSession(self, at: environment)
    }

    /// The session itself.
    public var session: NetworkSession? { self }

    /// The number of calls and data tasks in flight.
    public var inFlight: Int { state.count(in: nil) }

    /// Cancels all calls and data tasks in flight. Each ends once, usually with ``NetworkError/cancelled``.
    public func cancelAll() {
        state.cancelAll(in: nil)
    }

    /// The number of calls and data tasks in flight as a stream of changes.
    ///
    /// ```swift
    /// for await count in network.inFlightUpdates { spinner.isHidden = count == 0 }
    /// ```
    ///
    /// Each stream has one reader, and begins with the current number. A slow reader receives only the latest number. A
    /// stream doesn't end.
    public var inFlightUpdates: AsyncStream<Int> { state.counts }

    /// Returns the call of a request, with the header fields and options of the configuration, without sending it.
    ///
    /// No interceptor has changed the call: it has no credentials of theirs.
    ///
    /// - Parameter request: The request.
    /// - Returns: The call, such as for its description or `curl`.
    /// - Throws: ``NetworkError/invalidRequest(_:)`` with the invalid member.
    public func call(for request: some NetworkRequest) throws(NetworkError) -> NetworkCall {
        let call = try made(request)
        try call.checkOptions()
        return call
    }

    private func made(_ request: some NetworkRequest) throws(NetworkError) -> NetworkCall {
        var call = try request.call(in: configuration, headers: headers)
        call.session = state
        // It is read into a file, which can be sent again.
        if call.body?.isLive == true, !configuration.transport.traits.sendsLiveBodies {
            call.body?.canBeSentAgain = true
        }
        return call
    }

    /// Sends a request, and returns its result with the response and the failure behind it.
    public func outcome<Request: NetworkRequest>(
        of outgoing: OutgoingRequest<Request>
    ) async -> NetworkOutcome<Request> {
        do throws(NetworkError) {
            let call = try built(outgoing)
            return read(await send(call, outgoing.transfer), of: call, as: outgoing.request)
        } catch {
            return NetworkOutcome(.failure(error), of: outgoing.request)
        }
    }

    /// Sends a request, and returns its response with a stream. See ``NetworkManager/open(_:configure:)``.
    public func open<Request: NetworkRequest>(_ outgoing: OutgoingRequest<Request>) async -> NetworkOpening {
        let call: NetworkCall
        do throws(NetworkError) {
            call = try built(outgoing, delivery: .streamed)
        } catch {
            return .failure(error, nil)
        }
        do throws(NetworkError) {
            return .response(try await opened(call, outgoing.transfer), call)
        } catch {
            return .failure(error, call)
        }
    }

    private func opened(_ call: NetworkCall, _ tracked: Transfer?) async throws(NetworkError) -> NetworkResponse {
        let start = call.clock.now()
        do throws(NetworkError) {
            let response = try await send(call, tracked).get()
            if response.isUpgrade {
                call.report(.read, since: start)
                return response
            }
            guard response.isSuccess, call.delivery != .upgraded else {
                throw .status(try await response.collected(for: call))
            }
            return response.reportingEnd(of: call)
        } catch {
            throw call.readFailed(error, since: start)
        }
    }

    /// Returns the call of a request that is about to be sent, and reports it as built.
    private func built<Request: NetworkRequest>(
        _ outgoing: OutgoingRequest<Request>, delivery: NetworkCall.Delivery = .buffered
    ) throws(NetworkError) -> NetworkCall {
        let start = configuration.clock.now()
        var call = try made(outgoing.request)
        call.scope = outgoing.scope
        call.delivery = delivery
        call.report(.built, since: start)
        do throws(NetworkError) {
            try outgoing.configure(&call)
            try call.checkOptions()
        } catch {
            throw call.readFailed(call.named(error), since: start)
        }
        return call
    }

    /// Sends a call in its own task. The caller's cancellation, ``cancelAll()`` and the deadline end it.
    ///
    /// - Parameter tracked: The transfer that is tracked since before the call was built. `nil` to track a new one.
    private func send(_ call: NetworkCall, _ tracked: Transfer?) async -> NetworkCall.Outcome {
        if Task.isCancelled { return .failure(.cancelled) }
        let transfer = tracked.flatMap { $0.claim() ? $0 : nil } ?? state.track(in: call.scope)
        if let left = call.timeLeft {
            transfer.onEnd(call.clock.schedule(left) { transfer.stop(call.deadlinePassed()) })
        }
        return await transfer.run { [chain] () async throws(NetworkError) in
            var response = try await chain(call)
            // An interceptor may have made the response.
            if response.decoder == nil { response.decoder = call.session?.decoder }
            return response
        } endingWith: {
            $0.stream?.buffer
        }
    }

    /// Reads what a call has received as the result of its request, and reports that.
    func read<Request: NetworkRequest>(
        _ received: NetworkCall.Outcome, of call: NetworkCall, as request: Request
    ) -> NetworkOutcome<Request> {
        let start = call.clock.now()
        let outcome = NetworkOutcome(received.mapError { call.withEarlierExchanges($0) }, of: request)
        var failure: String?
        if !call.state.observers.isEmpty, case .failure(let error) = outcome.result { failure = CaseName.of(error) }
        call.report(.read, since: start, detail: failure)
        return outcome
    }
}

extension NetworkResponse {
    /// Returns the response with a stream that reports its progress and its end as events of the call.
    fileprivate func reportingEnd(of call: NetworkCall) -> NetworkResponse {
        let reading = StreamReading(
            call, total: stream == nil ? body.count : try? announcedLength(for: call))
        let bytes = (stream ?? NetworkBytes(body)).observed(
            onChunk: { reading.received($0.count) }, onEnd: { reading.end($0) })
        var response = self
        response.content = .stream(NetworkBytes(buffer: bytes.buffer, failure: { reading.failure($0) }))
        return response
    }
}
