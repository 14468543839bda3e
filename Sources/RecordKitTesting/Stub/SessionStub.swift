import Dispatch
public import RecordKit

#if canImport(FoundationNetworking)
import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif

/// Answers the tasks of the sessions made from its configuration, in the process, without a network.
///
/// Nothing is shared between stubs: any number of them work at the same time, in tests that run in parallel.
///
/// ```swift
/// let stub = SessionStub { request in
///     request.httpMethod == "GET" ? .json(#"{"sku": "LP-0042"}"#) : .failure(URLError(.networkConnectionLost))
/// }
/// let session = URLSession(configuration: stub.sessionConfiguration)
/// ```
///
/// Its sessions are answered as long as the stub lives; after that their tasks end with `StubError.stubIsGone`.
///
/// A stub shows the shape of requests and answers. Redirects, uploads from a file or from `uploadTask`, downloads and
/// all that breaks half-way need a `LoopbackServer`: on Linux, FoundationNetworking does not take them through a stub.
public final class SessionStub: Sendable {
    /// Decides what to answer a request with. It is called on a queue of the stub, one request after the other, and
    /// must not block: to hold an answer back, give it a gate. What it throws is what the task ends with.
    ///
    /// The request has its body in `httpBody`, even if it was sent from a stream.
    public typealias Handler = @Sendable (URLRequest) throws -> StubAnswer

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

    /// - Parameters:
    ///   - clock: the time that delayed answers wait by.
    ///   - handler: decides what to answer.
    public init(clock: NetworkClock = .continuous, handler: @escaping Handler) {
        self.clock = clock
        self.handler = handler
        StubRegistry.add(self, protocolClass)
    }

    /// A stub that gives these answers in order, whatever is asked; the last one again and again.
    ///
    /// With no answers at all, every task ends with `StubError.noAnswer`.
    public convenience init(answers: [StubAnswer], clock: NetworkClock = .continuous) {
        let next = answers.inTurn()
        self.init(clock: clock) { _ in
            guard let answer = next() else { throw StubError.noAnswer }
            return answer
        }
    }

    deinit {
        StubRegistry.remove(protocolClass)
    }

    /// A new configuration whose sessions this stub answers: ephemeral, without cache, cookies or credentials.
    ///
    /// A copy works as well, whatever is changed in it, as long as it keeps `protocolClasses`.
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

    /// The request with this index in `requests`, as soon as it has arrived.
    ///
    /// - Throws: `.timedOut` if it does not come within the limit, `.cancelled` if the task is cancelled first.
    public func request(
        at index: Int, within limit: Duration = .seconds(30)
    ) async throws(WaitingError) -> URLRequest {
        try await journal.entries("request \(index)", within: limit) { $0.requests.indices.contains(index) }
            .requests[index]
    }

    func answer(_ request: URLRequest, through delivery: StubDelivery) {
        queue.async { [self] in
            // The work that a handler starts may not run inside URLSession's own queue, nor a stream be read there.
            let request = request.withBodyRead
            journal.note { $0.requests.append(request) }
            let answer: StubAnswer
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
    /// This request with the bytes of its body stream in `httpBody`.
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
