import RecordKit
import RecordKitInterceptors
import RecordKitTesting
import TestSupport
import XCTest

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

final class URLSessionTransportTests: TimedTestCase {
    func testEveryValueOfANameIsSentWhateverItsCase() async throws {
        let server = try LoopbackServer(responses: [.text("x")])
        var headers: HTTPHeaders = ["X-Tag": "1", "X-Other": "0"]
        headers.add("x-tag", "2")
        headers.add("X-Tag", "3")
        headers.add("Cookie", "a=1")
        headers.add("cookie", "b=2")

        _ = try await NetworkSession(NetworkConfiguration(server.url)).value(for: Ask<String>(headers: headers))

        XCTAssertEqual(server.requests.first?.header("X-Tag"), "1, 2, 3")
        XCTAssertEqual(server.requests.first?.header("Cookie"), "a=1; b=2")
    }

    /// RFC 9110 section 5.5.
    func testWhiteSpaceAroundAValueIsNoPartOfIt() async throws {
        let server = try LoopbackServer { _ in
            [.send("HTTP/1.1 200 \r\nETag: \t\"1\" \t\r\nX-Inner: a \tb\r\nContent-Length: 0 \r\n\r\n")]
        }
        for way in HostileBehavior.Way.allCases {
            let response = try await HostileBehavior.run(Ask(), NetworkConfiguration(server.url), way).get()
            XCTAssertEqual(response.headers["ETag"], "\"1\"", "\(way)")
            XCTAssertEqual(response.headers["X-Inner"], "a \tb", "\(way)")
            XCTAssertEqual(response.headers["Content-Length"], "0", "\(way)")
        }
    }

    /// The session would send its header fields to every origin of a redirect, and ignore the rest.
    func testWhatASessionWouldMisuseIsRefused() async throws {
        struct Pinned: TLSPolicy {}
        let (named, proxied) = (URLSessionConfiguration.ephemeral, URLSessionConfiguration.ephemeral)
        named.httpAdditionalHeaders = ["X-Device": "till"]
        var cases = [(URLSessionTransport(named), "httpAdditionalHeaders")]
        #if !canImport(Security)
        proxied.connectionProxyDictionary = ["HTTPEnable": 1, "HTTPProxy": "127.0.0.1", "HTTPPort": 1]
        cases += [(URLSessionTransport(tls: Pinned()), "remove `tls`"), (URLSessionTransport(proxied), "http_proxy")]
        #endif
        let server = try LoopbackServer(responses: [.text("x")])
        for (transport, word) in cases {
            let configuration = NetworkConfiguration(server.url, transport: transport)
            for way in [HostileBehavior.Way.value, .dataTask] {
                guard case .failure(.invalidRequest(let invalid)) = await HostileBehavior.run(Ask(), configuration, way)
                else { return XCTFail("\(word), \(way)") }
                XCTAssertEqual(invalid.member, .transport)
                XCTAssertTrue(invalid.reason.contains(word), invalid.reason)
            }
        }
        XCTAssertEqual(server.connectionCount, 0)
        proxied.connectionProxyDictionary = [:]
        let configuration = NetworkConfiguration(server.url, transport: URLSessionTransport(proxied))
        for way in [HostileBehavior.Way.value, .dataTask] {
            assertEqual(await way.outcome(configuration), "200 x", "\(way)")
        }
    }

    func testAtMostSoManyAttemptsReachAHostAtOnce() async throws {
        let narrow = URLSessionConfiguration.ephemeral
        narrow.httpMaximumConnectionsPerHost = 2
        // A session has six connections to a host by default.
        for (limit, transport) in [
            (3, URLSessionTransport(exchangesPerHost: 3)), (9, URLSessionTransport(exchangesPerHost: 9)),
            (2, URLSessionTransport(narrow)),
        ] {
            let gate = ResponseGate()
            let server = try LoopbackServer(responses: [.text("x").after(.wait(gate))])
            var configuration = NetworkConfiguration(server.url, transport: transport)
            configuration.options.timeout = .seconds(30)
            let manager = NetworkManager<Ask<String>>(configuration)

            try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<12 { group.addTask { try await manager.value(for: Ask()) } }
                await until { manager.inFlight == 12 }
                _ = try await server.request(at: limit - 1)
                XCTAssertEqual(server.requests.count, limit)
                gate.open()
                try await group.waitForAll()
            }

            XCTAssertEqual(server.requests.count, 12)
            XCTAssertLessThanOrEqual(server.connectionCount, limit)
            XCTAssertEqual(manager.inFlight, 0)
        }
    }

    /// URLSession on Linux restarts a task that is suspended and resumed, and appends the new body to the old one.
    func testATaskThatBeginsAnewIsALostConnection() async throws {
        let gate = ResponseGate()
        let (first, second) = (Data(count: 4_000), Data(count: 6_000))
        let server = try LoopbackServer { _ in
            [.head(200, headers: ["Content-Length": "10000"]), .body(first), .wait(gate), .body(second)]
        }
        let manager = NetworkManager<Ask<Data>>(NetworkConfiguration(server.url))
        let (results, continuation) = AsyncStream.makeStream(of: Result<Data, NetworkError>.self)
        let task = try XCTUnwrap(manager.dataTask(for: Ask()) { continuation.yield($0) })
        _ = try await server.request(at: 0)
        task.suspend()
        task.resume()
        gate.open()
        for await result in results.prefix(1) {
            switch result {
            case .success(let data): XCTAssertEqual(data.count, 10_000)
            case .failure(.connection(let failure)): XCTAssertEqual(failure.kind, .lost)
            case .failure(let error): XCTFail("\(error)")
            }
        }
    }

    func testALengthBesideChunksIsNotBelieved() async throws {
        let headers: HTTPHeaders = ["Transfer-Encoding": "chunked", "Content-Length": "5000"]
        let server = try LoopbackServer(responses: [[.head(200, headers: headers), .chunk(Data("x".utf8)), .lastChunk]])
        for way in HostileBehavior.Way.allCases {
            let options = RequestOptions(sizeLimit: 100)
            let configuration = NetworkConfiguration(server.url, options: options)
            assertEqual(await way.outcome(configuration), "200 x", "\(way)")
        }
    }

    func testABodyOfAnotherLengthThanAnnouncedIsALostConnection() async throws {
        for announced in ["2", "4"] {
            let stub = StubServer()
            stub.respond(to: "**", with: .status(200, headers: ["Content-Length": announced], body: Data("abc".utf8)))
            let network = NetworkConfiguration(transport: URLSessionTransport(stub.sessionConfiguration))
            for way in [HostileBehavior.Way.value, .dataTask] {
                let ask = Ask<NetworkResponse>(baseURL: "http://store.example")
                assertEqual(await way.outcome(network, ask), "lost", "\(announced), as a \(way)")
            }
        }
    }

    func testASecondHeadIsALostConnection() async throws {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [TwoHeads.self]
        let network = NetworkConfiguration(transport: URLSessionTransport(configuration))
        for way in [HostileBehavior.Way.value, .dataTask] {
            let ask = Ask<NetworkResponse>(baseURL: "http://store.example")
            assertEqual(await way.outcome(network, ask), "lost", "\(way)")
        }
    }
}

/// Delivers two responses for one request.
private final class TwoHeads: URLProtocol {
    override class func canInit(with request: URLRequest) -> Bool { true }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }
    override func stopLoading() {}

    override func startLoading() {
        guard let client, let url = request.url,
            let head = HTTPURLResponse(url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: [:])
        else { return }
        for _ in 0..<2 {
            client.urlProtocol(self, didReceive: head, cacheStoragePolicy: .notAllowed)
            client.urlProtocol(self, didLoad: Data("abc".utf8))
        }
        client.urlProtocolDidFinishLoading(self)
    }
}
