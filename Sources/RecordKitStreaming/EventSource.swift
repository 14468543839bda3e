import Foundation
import RecordKit

/// The events of a request, over all its connections.
struct EventSource<Request: NetworkRequest>: ElementProducer where Request.ErrorType: NetworkFailure {
    typealias Element = ServerSentEvent
    typealias Failure = Request.ErrorType

    private let client: any NetworkClient
    private let request: Request
    private let policy: ReconnectPolicy
    private let configure: NetworkCall.Change

    /// The last call. All calls share the deadline of the first.
    private var call: NetworkCall?
    private var body: StreamedResponse?
    private var parser: EventParser?
    /// Whether the server has ended the stream for good, with the status 204.
    private var isOver = false
    /// The number of attempts since the last event, and when the first of these interruptions was.
    private var interruptions = (count: 0, start: Duration.zero)

    init(
        of request: Request, from client: any NetworkClient, policy: ReconnectPolicy,
        _ configure: @escaping NetworkCall.Change
    ) {
        self.client = client
        self.request = request
        self.policy = policy
        self.configure = configure
    }

    mutating func open(_ lifetime: StreamLifetime) async throws(Failure) -> NetworkResponse {
        do throws(NetworkError) {
            var failure: NetworkError?
            do throws(NetworkError) {
                return try await connect(lifetime)
            } catch {
                failure = error
            }
            if let head = try await reconnect(after: failure, lifetime) { return head }
            throw failure ?? .cancelled
        } catch {
            throw Failure(error)
        }
    }

    mutating func next(_ lifetime: StreamLifetime) async -> ElementBatch<ServerSentEvent, Failure> {
        var events: [ServerSentEvent] = []
        do throws(NetworkError) {
            while true {
                var failure: NetworkError?
                do throws(NetworkError) {
                    try await read(into: &events)
                } catch {
                    failure = error
                }
                if failure == nil, !events.isEmpty { return ElementBatch(elements: events) }
                if try await reconnect(after: failure, lifetime) == nil { return ElementBatch(end: .success(())) }
            }
        } catch {
            return ElementBatch(elements: events, end: .failure(Failure(error)))
        }
    }

    /// Reads until there are events. There are none at the end of the response.
    private mutating func read(into events: inout [ServerSentEvent]) async throws(NetworkError) {
        while events.isEmpty, let chunk = try await body?.next() {
            try parser?.parse(chunk, into: &events)
        }
        if !events.isEmpty { interruptions.count = 0 }
    }

    /// Sends the request and returns the head of its response.
    private mutating func connect(_ lifetime: StreamLifetime) async throws(NetworkError) -> NetworkResponse {
        let (start, lastEventID) = (call?.startTime, parser?.fields.lastEventID)
        let hasAccept =
            request.headers.contains("Accept") || client.session?.configuration.headers.contains("Accept") == true
        let opening = await client.opened(request, lifetime) { [request, configure] call throws(NetworkError) in
            if request.options.expectedType == nil {
                call.options.expectedType = Self.type
                if !hasAccept { call.headers["Accept"] = Self.type + ", */*;q=0.5" }
            }
            // The deadline of all requests would end each stream. A deadline of this request applies.
            if request.options.deadline == nil { call.options.deadline = nil }
            if !call.headers.contains("Cache-Control") { call.headers["Cache-Control"] = "no-cache" }
            try configure(&call)
            if let lastEventID { call.headers["Last-Event-ID"] = Self.sendable(lastEventID) }
            if let start { call.startTime = start }
        }
        call = opening.call ?? call
        let body = try StreamedResponse(opening)
        parser = EventParser(for: body.call, after: parser?.fields) { [request, head = body.head] in
            request.decoder ?? head.decoder
        }
        isOver = body.head.statusCode == 204
        if let error = Self.refusal(of: body) { throw body.failed(error) }
        self.body = body
        return body.head
    }

    /// Returns the error for a response that isn't a stream of events (WHATWG HTML, section 9.2.3). 204 has no body.
    private static func refusal(of body: StreamedResponse) -> NetworkError? {
        switch body.head.statusCode {
        case 204: return nil
        case 200: break
        default: return .status(body.head)
        }
        // Another type has been refused already.
        guard let expected = body.call.options.expectedType, expected != "*/*", body.head.mediaType == nil else {
            return nil
        }
        return body.unreadable(as: expected, NetworkResponse.ReadingError.unexpectedType(nil, expected: expected))
    }

    /// The media type of event streams.
    private static var type: String { "text/event-stream" }

    /// Returns an ID if a header field can contain it, and servers accept its length.
    private static func sendable(_ id: String) -> String? {
        !id.isEmpty && id.utf8.count <= 4096 && HTTPHeaders.isValid(value: id) ? id : nil
    }

    /// Connects again, if the policy allows it, until there is a response. Returns its head, or `nil` at the end of the
    /// sequence.
    private mutating func reconnect(
        after failure: NetworkError?, _ lifetime: StreamLifetime
    ) async throws(NetworkError) -> NetworkResponse? {
        body = nil
        if isOver { return nil }
        var failure = failure
        while let call, let wait = wait(after: failure, of: call) {
            let waited = await lifetime.run { () async -> Result<Void, NetworkError> in
                do throws(NetworkError) {
                    return .success(try await call.sleepInFlight(for: wait))
                } catch {
                    return .failure(error)
                }
            }
            try waited.get()
            do throws(NetworkError) {
                return try await connect(lifetime)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return nil
    }

    private mutating func wait(after failure: NetworkError?, of call: NetworkCall) -> Duration? {
        if let failure, !failure.isOfConnection { return nil }
        let now = call.clock.now()
        if interruptions.count == 0 { interruptions.start = now }
        interruptions.count += 1
        let interruption = ReconnectPolicy.Interruption(
            attempt: interruptions.count, error: failure, outage: now - interruptions.start,
            retry: parser?.fields.retry)
        return policy.wait(after: interruption, of: call)
    }
}
