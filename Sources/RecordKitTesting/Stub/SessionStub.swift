import Dispatch
public import RecordKit

#if canImport(FoundationNetworking)
import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif

/// Responds to the tasks of URLSessions in the process, without a network.
///
/// Stubs share nothing, so any number of them can be used in tests that run in parallel.
///
/// ```swift
/// let stub = SessionStub { request in
///     request.httpMethod == "GET"
///         ? .json(#"{"sku": "LP-0042"}"#)
///         : .failure(URLError(.networkConnectionLost))
/// }
/// let session = URLSession(configuration: stub.sessionConfiguration)
/// ```
///
/// The stub responds until it is released. After that, tasks fail with ``StubError/stubIsGone``.
///
/// A stub is for the content of requests and responses. Redirects, uploads from a file or with `uploadTask`, downloads,
/// and connections that break need a ``LoopbackServer``. On Linux, FoundationNetworking doesn't support them with a
/// stub.
public final class SessionStub: Sendable {
    /// A closure that returns the response to a request.
    ///
    /// It is called on a queue of the stub, for one request after the other, and must not block. To delay a response,
    /// use a gate. An error that it throws ends the task.
    ///
    /// The request's body is in `httpBody`, even if it was sent from a stream.
    public typealias Handler = @Sendable (URLRequest) throws -> StubResponse

    private struct Entries: JournalEntries {
        var requests: [URLRequest] = []

        var received: [String] {
            requests.map { "\($0.httpMethod ?? "GET") \($0.url?.redacted([]) ?? "")" }
        }
    }

    private let protocolClass = StubRegistry.makeClass()
    let clock: NetworkClock
    private let handler: Handler
    private let journal = Journal(Entries())
    private let queue = DispatchQueue(label: "RecordKitTesting.SessionStub")

    /// Creates a stub.
    ///
    /// - Parameters:
    ///   - clock: The clock of delayed responses. Default: the continuous clock.
    ///   - handler: A closure that returns the response to a request.
    public init(clock: NetworkClock = .continuous, handler: @escaping Handler) {
        self.clock = clock
        self.handler = handler
        StubRegistry.add(self, protocolClass)
    }

    /// Creates a stub that responds in order, whatever the requests, and with the last response repeatedly.
    ///
    /// - Parameters:
    ///   - responses: The responses. Without any, every task fails with ``StubError/noResponse``.
    ///   - clock: The clock of delayed responses. Default: the continuous clock.
    public convenience init(responses: [StubResponse], clock: NetworkClock = .continuous) {
        let next = responses.inTurn()
        self.init(clock: clock) { _ in
            guard let answer = next() else { throw StubError.noResponse }
            return answer
        }
    }

    deinit {
        StubRegistry.remove(protocolClass)
    }

    /// A new configuration for sessions that this stub responds to: ephemeral, without cache, cookies and credentials.
    ///
    /// It may be copied and changed, except for `protocolClasses`.
    public var sessionConfiguration: URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.httpCookieStorage = nil
        configuration.urlCredentialStorage = nil
        configuration.protocolClasses = [protocolClass] + (configuration.protocolClasses ?? [])
        return configuration
    }

    /// The requests received so far, in order, with their bodies in `httpBody`.
    public var requests: [URLRequest] { journal.entries.requests }

    /// Waits for a request.
    ///
    /// - Parameters:
    ///   - index: The index of the request in ``requests``.
    ///   - limit: The longest time to wait. Default: 30 seconds.
    /// - Throws: ``WaitingError/timedOut(waitingFor:limit:received:)`` when the limit is reached,
    ///   ``WaitingError/cancelled(waitingFor:)`` if the task is cancelled first.
    public func request(
        at index: Int, within limit: Duration = .seconds(30)
    ) async throws(WaitingError) -> URLRequest {
        try await journal.entries("request \(index)", within: limit) { $0.requests.indices.contains(index) }
            .requests[index]
    }

    func answer(_ request: URLRequest, through delivery: StubDelivery) {
        queue.async { [self] in
            // The handler's work must not run on URLSession's own queue, and a stream must not be read there.
            let request = request.withBodyRead
            journal.note { $0.requests.append(request) }
            let answer: StubResponse
            do {
                answer = try handler(request)
            } catch {
                answer = .failure(error)
            }
            delivery.answer(with: answer, on: queue)
        }
    }
}

extension URLRequest {
    /// The request with the bytes of its body stream in `httpBody`.
    fileprivate var withBodyRead: URLRequest {
        guard let stream = httpBodyStream else { return self }
        var request = self
        var body = Data()
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        stream.open()
        defer { stream.close() }
        while case let count = stream.read(&buffer, maxLength: buffer.count), count > 0 {
            body.append(contentsOf: buffer[..<count])
        }
        request.httpBody = body
        return request
    }
}
