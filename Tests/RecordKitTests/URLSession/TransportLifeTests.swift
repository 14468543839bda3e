import RecordKitTesting
import TestSupport
import XCTest

@testable import RecordKit

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

final class TransportLifeTests: TimedTestCase {
    /// The manager, the configuration and the transport are released while data tasks are in flight and in the queue.
    func testCallsEndThoughTheirTransportIsDropped() async throws {
        let gate = ResponseGate()
        let server = try LoopbackServer(responses: [.text("x").after(.wait(gate))])
        weak var kept: URLSessionTransport?
        var calls: [RunningCall] = []
        do {
            let transport = URLSessionTransport(exchangesPerHost: 2)
            kept = transport
            let configuration = NetworkConfiguration(server.url, transport: transport)
            let manager = NetworkManager<Ask<NetworkResponse>>(configuration)
            for number in 0..<10 {
                calls.append(RunningCall(number % 2 == 0 ? .dataTaskByHandle : .valueByTask, manager))
            }
        }
        _ = try await server.request(at: 1)
        gate.open()
        for call in calls { assertEqual(await call.text, "200 x") }
        calls = []
        await until { kept == nil }
    }

    /// Developers used to URLSession resume a task that has already started.
    func testResumingTheTaskThatWasHandedBackDoesNoHarm() async throws {
        let server = try LoopbackServer(responses: [.text("x")])
        let transport = URLSessionTransport(exchangesPerHost: 1)
        let configuration = NetworkConfiguration(server.url, transport: transport)
        let manager = NetworkManager<Ask<String>>(configuration)
        let texts = AsyncStream<Result<String, NetworkError>>.makeStream()
        for _ in 0..<20 { manager.dataTask(for: Ask()) { texts.continuation.yield($0) }?.resume() }
        var count = 0
        for await text in texts.stream.prefix(20) {
            XCTAssertEqual(try text.get(), "x")
            count += 1
        }
        XCTAssertEqual(count, 20)
        XCTAssertEqual(manager.inFlight, 0)
        // A task that gets its slot after it has ended gives the slot back soon after.
        await until { transport.traits.slots?.count(URLOrigin(server.url)).taken == 0 }
    }

    func testNothingIsKeptOfACallThatHasEnded() async throws {
        let server = try LoopbackServer { $0.path == "/ask" ? .redirect(to: "/x") : .text("x") }
        for way in RunningCall.Way.allCases {
            weak var kept: Owner?
            do {
                let owner = Owner()
                kept = owner
                let options = RequestOptions(timeout: .seconds(3600), deadline: .seconds(7200))
                var configuration = way.configuration(server.url)
                configuration.options = options
                configuration.clock = NetworkClock(
                    now: { withExtendedLifetime(owner) { NetworkClock.continuous.now() } },
                    sleep: NetworkClock.continuous.sleep)
                assertEqual(await RunningCall(way, NetworkManager(configuration)).text, "200 x")
            }
            await until { kept == nil }
        }
        await until { Timers.shared.count == 0 }
    }

    func testTheConfigurationThatIsGivenStaysAsItWas() {
        let configuration = URLSessionConfiguration.default
        configuration.httpAdditionalHeaders = ["X-Device": "till"]
        _ = URLSessionTransport(configuration)
        XCTAssertEqual(configuration.httpAdditionalHeaders?.count, 1)
        XCTAssertNotNil(configuration.urlCache)
        XCTAssertNotNil(configuration.httpCookieStorage)
    }

    func testCookiesAreKeptOnlyWhereAStorageIsGiven() async throws {
        for way in HostileBehavior.Way.allCases where way != .dataTaskInOtherSession {
            let server = try LoopbackServer { request in
                .status(200, headers: ["Set-Cookie": "a=1; Path=/"], body: Data((request.header("Cookie") ?? "").utf8))
            }
            var configuration = NetworkConfiguration(server.url, transport: URLSessionTransport(.default))
            for _ in 0..<2 { assertEqual(await way.outcome(configuration), "200 ", "\(way)") }
            let own = Ask<NetworkResponse>(headers: ["Cookie": "own=1"])
            assertEqual(await way.outcome(configuration, own), "200 own=1", "\(way)")

            let storage = try XCTUnwrap(URLSessionConfiguration.ephemeral.httpCookieStorage)
            configuration.cookies = storage
            _ = await HostileBehavior.run(Ask(), configuration, way)
            XCTAssertEqual(storage.cookies?.map(\.name), ["a"], "\(way)")
            assertEqual(await way.outcome(configuration), "200 a=1", "\(way)")
        }
    }

    func testACallThatAnInterceptorChangedIsValidatedAgain() async throws {
        let server = try LoopbackServer { _ in .text("x") }
        let (port, url) = (server.port, server.url)
        let changes: [(String, @Sendable (inout NetworkCall) -> Void)] = [
            ("invalid: baseURL", { $0.url = URL(filePath: "/etc/passwd") }),
            ("invalid: baseURL", { $0.url = URL(string: "ftp://a.example/x") ?? $0.url }),
            ("invalid: baseURL", { $0.url = URL(string: "relative") ?? $0.url }),
            ("200 x", { $0.url = URL(string: "HTTP://127.0.0.1:\(port)/x") ?? $0.url }),
            ("invalid: body", { $0.body = EncodedBody(Data("x".utf8)) }),
            ("invalid: method", { $0.method = "GET / HTTP/1.1\r\nX-Admin: yes\r\n\r\nGET" }),
            ("invalid: method", { $0.method = "" }),
            ("invalid: headers", { $0.headers["content-length"] = "5" }),
            ("invalid: headers", { $0.headers["Transfer-Encoding"] = "chunked" }),
            ("200 x", { $0.options.timeout = Duration(attoseconds: .max) }),
            ("invalid: options", { $0.options.timeout = Duration(attoseconds: .min) }),
        ]
        for (expected, change) in changes {
            let configuration = NetworkConfiguration(url, interceptors: [Changing(change: change)])
            assertEqual(await HostileBehavior.Way.value.outcome(configuration), expected)
        }
    }

    func testABodyOfAnInterceptorsHasItsType() async throws {
        let server = try LoopbackServer { .text($0.headers("Content-Type").joined(separator: ", ")) }
        for type in ["application/xml", "application/octet-stream"] {
            let fill = Changing { $0.body = EncodedBody(Data("<a/>".utf8), contentType: type) }
            let configuration = NetworkConfiguration(server.url, interceptors: [fill])
            assertEqual(await HostileBehavior.Way.value.outcome(configuration, Ask(method: .post)), "200 \(type)")
        }
    }

    private final class Owner: Sendable {}

    func testATypeOfABodyThatAnInterceptorSetsCannotAddAField() async {
        let transport = CannedTransport()
        let fill = Changing { $0.body = EncodedBody(Data("a".utf8), contentType: "a/b\r\nX-Evil: 1") }
        let network = NetworkSession(transport, [fill])
        let error = await network.failure(of: Ask<Data>(method: .post))
        guard case .invalidRequest(let invalid) = error else { return XCTFail("\(String(describing: error))") }
        XCTAssertEqual(invalid.member, .headers)
        XCTAssertTrue(transport.calls.isEmpty)
    }
}
