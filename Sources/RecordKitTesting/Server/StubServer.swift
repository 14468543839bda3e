public import RecordKit
import Synchronization

#if canImport(FoundationNetworking)
import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif

/// Answers requests in the process, for managers and for URLSessions alike, from one set of stubs.
///
/// ```swift
/// let stub = StubServer()
/// try stub.answer(RecordService.One.fetch(sku: "LP-0042"), with: record)
/// stub.answer("POST /records", with: .storm(503, times: 2, then: .json("{}", status: 201)))
///
/// let records = NetworkManager<RecordService.One>(stub.configuration)
/// …
/// try stub.verify()
/// ```
///
/// Nothing is shared between servers: any number of them work at the same time, in tests that run in parallel.
///
/// It is strict. A request that no stub expects ends in an ``UnexpectedRequest``, which names the nearest stub and how
/// it differs; ``verify()`` throws for that, and for stubs that were not asked. Of several stubs that fit, the one
/// added last answers. A call follows a redirect, as through any other transport, to what another stub answers; to a
/// task of a URLSession the redirect itself is the answer.
public final class StubServer: DataTaskTransport {
    /// Where the configuration's requests go, and what request values are matched in.
    public let environment: NetworkEnvironment
    let book: StubBook
    private let clock: NetworkClock
    private let sessionStub: SessionStub
    private let ownTransport = Mutex<URLSessionTransport?>(nil)

    /// - Parameters:
    ///   - environment: give another when the app's own configuration is tested. Default: `https://stub.test`.
    ///   - clock: the time of ``configuration``, and the one by which answers to URLSessions wait.
    ///   - report: told of each request that no stub expects, where it comes in, and by ``verify()``, which then does
    ///     not throw: `{ XCTFail($0) }`, or `{ Issue.record(Comment(rawValue: $0)) }`. Of what comes through a
    ///     URLSession Swift Testing does not know the test; leave it out there.
    public init(
        environment: NetworkEnvironment = NetworkEnvironment("https://stub.test"), clock: NetworkClock = .continuous,
        report: (@Sendable (String) -> Void)? = nil
    ) {
        self.environment = environment
        self.clock = clock
        let book = StubBook(report: report)
        self.book = book
        sessionStub = SessionStub(clock: clock) { request in
            guard let request = StubRequest(request) else { throw URLError(.badURL) }
            return try book.answer(to: request)
        }
    }

    /// A configuration whose calls this server answers, without interceptors. Each has a count of its own of what is in
    /// flight.
    public var configuration: NetworkConfiguration {
        NetworkConfiguration(environment: environment, transport: self, clock: clock)
    }

    /// A configuration for URLSessions of one's own that this server answers, as long as it lives.
    public var sessionConfiguration: URLSessionConfiguration { sessionStub.sessionConfiguration }

    /// What makes the data tasks.
    public var dataTasks: URLSessionTransport {
        ownTransport.withLock { transport in
            if let transport { return transport }
            let new = URLSessionTransport(sessionConfiguration)
            transport = new
            return new
        }
    }

    public func exchange(_ call: NetworkCall) async throws(NetworkError) -> NetworkResponse {
        if Task.isCancelled { throw .cancelled }
        let answer: StubAnswer
        do {
            answer = try book.answer(to: await StubRequest(call))
        } catch let error as NetworkError {
            throw error
        } catch let error as UnexpectedRequest {
            throw .unexpected(error, by: "StubServer")
        } catch {
            answer = .failure(error)
        }
        return try await answer.response(to: call)
    }
}
