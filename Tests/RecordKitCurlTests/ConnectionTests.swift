#if os(Linux)
import RecordKit
import RecordKitCurl
import RecordKitTesting
import TestSupport
import XCTest

/// Where connections lead: proxies, sockets, addresses, interfaces.
final class ConnectionTests: TimedTestCase {
    func testAProxyGetsTheWholeURLAndItsOwnCredentials() async throws {
        let proxy = try LoopbackServer(responses: [.text("by proxy")])
        let server = try LoopbackServer(responses: [.text("direct")])
        func network(_ exceptions: [String]) -> NetworkConfiguration {
            NetworkConfiguration(server.url) {
                $0.proxy = .server(proxy.url.absoluteString, user: "till", password: "s3cret", exceptions: exceptions)
            }
        }
        assertEqual(await network([]).outcome(), "200 by proxy")
        XCTAssertEqual(proxy.requests.first?.target, "\(server.url)/ask")
        let credential = Data("till:s3cret".utf8).base64EncodedString()
        XCTAssertEqual(proxy.requests.first?.header("Proxy-Authorization"), "Basic \(credential)")

        let direct = await network(["127.0.0.1"]).outcome()
        XCTAssertEqual(direct, "200 direct")
        XCTAssertEqual(proxy.requests.count, 1)
    }

    func testProxyExceptions() async throws {
        let server = try LoopbackServer { _ in .text("direct") }
        let proxy = try LoopbackServer { _ in .text("by proxy") }
        let cases: [(String, exceptions: [String], String)] = [
            ("store.example", ["store.example"], "direct"), ("a.store.example", ["store.example"], "direct"),
            ("a.store.example", ["other.example", ".STORE.example"], "direct"),
            ("store.example", [".store.example"], "direct"), ("store.example", ["*"], "direct"),
            ("store.example", ["other.example", "*"], "direct"), ("notstore.example", ["store.example"], "by proxy"),
            ("store.example", ["a.store.example"], "by proxy"), ("127.0.0.1", ["127.0.0.1"], "direct"),
            ("127.0.0.1", ["127.0.0.0/8"], "direct"), ("127.0.0.1", ["10.0.0.0/8"], "by proxy"),
            ("127.0.0.1", ["[::1]", "::1"], "by proxy"),
        ]
        for (host, exceptions, expected) in cases {
            if exceptions.contains(where: { $0.contains("/") }), !CurlTransport.isAtLeast("7.86.0") { continue }
            let text = await NetworkConfiguration(try URL(of: "http://\(host):\(server.port)")) {
                $0.proxy = .server(proxy.url.absoluteString, exceptions: exceptions)
                if host != "127.0.0.1" { $0.addresses = ["\(host):\(server.port)": ["127.0.0.1"]] }
            }.outcome()
            XCTAssertEqual(text, "200 \(expected)", "\(host) \(exceptions)")
        }
    }

    /// libcurl would ignore them, and use the proxy.
    func testProxyExceptionsThatAreRefused() async throws {
        let proxy = try LoopbackServer { _ in .text("by proxy") }
        let cases = [
            ("*.store.example", "has a wildcard; write \"store.example\""), ("192.168.*", "has a wildcard"),
            ("10.10.10.10:8001", "has a port"), ("store.example:80", "has a port"), ("[::1]:80", "has a port"),
            ("http://store.example", "has a port or a scheme"), ("10.0.0.0/33", "is not a network"),
            ("::1/129", "is not a network"), ("10.0.0.0/", "is not a network"), ("", "is not a host"),
            ("store.example, other.example", "is not a host"), ("bücher.example", "is not a host"),
            ("[::1", "has a port"), (".", "is not a host"),
        ]
        for (exception, reason) in cases {
            let text = await NetworkConfiguration(proxy.url) {
                $0.proxy = .server(proxy.url.absoluteString, exceptions: ["store.example", exception])
            }.outcome()
            let start = "invalid transport: the proxy exception \"\(exception)\" \(reason)"
            XCTAssertTrue(text.hasPrefix(start), text)
        }
        XCTAssertEqual(proxy.connectionCount, 0)
    }

    func testAnIPv6Exception() async throws {
        let proxy = try LoopbackServer { _ in .text("by proxy") }
        for exception in ["::1", "[::1]"] {
            // Nothing listens on this port.
            let text = await NetworkConfiguration(try URL(of: "http://[::1]:9")) {
                $0.proxy = .server(proxy.url.absoluteString, exceptions: [exception])
            }.outcome()
            XCTAssertEqual(text, "refused unsent", exception)
        }
    }

    func testTheProxyOfTheEnvironmentIsUsedOnlyIfAsked() async throws {
        let proxy = try LoopbackServer(responses: [.text("by proxy")])
        let server = try LoopbackServer(responses: [.text("direct")])
        setenv("http_proxy", proxy.url.absoluteString, 1)
        setenv("no_proxy", "", 1)
        defer {
            unsetenv("http_proxy")
            unsetenv("no_proxy")
        }
        let direct = await NetworkConfiguration(server.url).outcome()
        XCTAssertEqual(direct, "200 direct")
        assertEqual(await NetworkConfiguration(server.url) { $0.proxy = .environment }.outcome(), "200 by proxy")
    }

    func testASOCKSProxyResolvesTheName() async throws {
        let server = try ScriptServer { connection in
            _ = connection.read()
            connection.write(Data([5, 0]))
            let request = connection.read()
            // A name of 13 bytes, and its port.
            guard request.prefix(5) == Data([5, 1, 0, 3, 13]),
                request.dropFirst(5).prefix(13) == Data("store.example".utf8)
            else { return }
            connection.write(Data([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]))
            _ = connection.read()
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        }
        let proxy = "socks5h://127.0.0.1:\(server.port)"
        let network = NetworkConfiguration(try URL(of: "http://store.example")) { $0.proxy = .server(proxy) }
        assertEqual(await network.outcome(), "200 ok")
    }

    func testAProxyThatIsGoneIsRefusedAndItsPasswordKept() async throws {
        let gone = try LoopbackServer(responses: [])
        gone.stop()
        let proxy = CurlTransport.ProxyServer(gone.url.absoluteString, user: "till", password: "s3cret")
        let server = try LoopbackServer(responses: [])
        let network = NetworkConfiguration(server.url) { $0.proxy = .server(proxy) }
        let error = await network.failure(of: Fetch())
        guard case .connection(let failure) = error else { return XCTFail("no failure") }
        XCTAssertEqual("http://\(failure.host)", gone.url.absoluteString)
        XCTAssertEqual("\(failure.kind) \(failure.mayHaveReachedServer)", "refused false")
        var dumped = ""
        dump(CurlTransport.Proxy.server(proxy), to: &dumped)
        XCTAssertFalse("\(proxy) \(dumped) \(String(reflecting: proxy))".contains("s3cret"), dumped)
    }

    /// The proxy is asked for a connection to the server, and refuses or says nothing. Nothing reached the server.
    func testAProxyThatDoesNotConnect() async throws {
        for status in [403, 407, 502, nil] {
            let proxy = try ScriptServer { connection in
                _ = connection.read()
                guard let status else { return }
                connection.write(
                    "HTTP/1.1 \(status) x\r\nProxy-Authenticate: Basic realm=x\r\nContent-Length: 0\r\n\r\n")
            }
            let url = try proxy.url.absoluteString
            let network = NetworkConfiguration(try URL(of: "https://store.example")) { $0.proxy = .server(url) }
            let says = status.map { "proxyRefused(status: \($0)) unsent" } ?? "refused unsent"
            let text = await network.outcome(Fetch(method: .post, content: "x"))
            XCTAssertEqual(text, status == nil && !CurlTransport.isAtLeast("7.80.0") ? "lost" : says)
            let socket = await failure { () async throws(NetworkError) in
                _ = try await NetworkManager<Fetch>(network).webSocket(for: Fetch())
            }
            XCTAssertTrue(socket.hasPrefix(says), "\(says): \(socket)")
            guard let status else { continue }
            let error = await NetworkSession(network).failure(of: Fetch())
            XCTAssertEqual(error?.isTransient, false, says)
            let sentence = "The proxy refused to connect to store.example:443, with the status \(status)"
            XCTAssertTrue(error?.description.contains(sentence) ?? false, "\(String(describing: error))")
        }
    }

    /// Also one that the client doesn't know of, on the way to the server.
    func testAProxyThatDoesNotPassARequestOn() async throws {
        let server = try LoopbackServer { _ in .status(407, headers: ["Proxy-Authenticate": "Basic realm=x"]) }
        for proxy in [CurlTransport.Proxy.none, .server(server.url.absoluteString)] {
            let network = NetworkConfiguration(server.url) { $0.proxy = proxy }
            assertEqual(await network.outcome(), "proxyRefused(status: 407) unsent")
            let streamed = await failure { () async throws(NetworkError) in
                _ = try await NetworkSession(network).value(for: Fetch()) { $0.delivery = .streamed }
            }
            XCTAssertTrue(streamed.contains("proxyRefused"), streamed)
        }
    }

    func testAUnixDomainSocket() async throws {
        let path = "/tmp/recordkit-\(UUID().uuidString.prefix(8)).sock"
        defer { unlink(path) }
        let server = try ScriptServer(path: path) { connection in
            let host = String(decoding: connection.read(), as: UTF8.self)
            let isRight = host.contains("GET /v1/ask HTTP/1.1\r\n") && host.contains("Host: docker\r\n")
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n\(isRight ? "ok" : "no")")
        }
        let network = NetworkConfiguration(try URL(of: "http://docker/v1")) { $0.unixSocket = path }
        assertEqual(await network.outcome(), "200 ok")
        withExtendedLifetime(server) {}
    }

    func testAnInterface() async throws {
        let server = try LoopbackServer { _ in .text("x") }
        for (interface, expected) in [
            ("127.0.0.1", "200 x"), ("lo", "200 x"),
            ("none0", "invalid transport: connections cannot be made from this interface; check `interface`"),
        ] {
            let text = await NetworkConfiguration(server.url) { $0.interface = interface }.outcome()
            XCTAssertEqual(text, expected, interface)
        }
    }

    func testTheLimitOnExchangesAndOnConnections() async throws {
        let gate = ResponseGate()
        let server = try LoopbackServer(responses: [.text("x").after(.wait(gate))])
        let network = NetworkSession(
            NetworkConfiguration(server.url) {
                $0.exchangesPerHost = 5
                $0.connectionLimit = 3
            })
        try await withThrowingTaskGroup(of: NetworkResponse.self) { group in
            for _ in 0..<12 { group.addTask { try await network.value(for: Fetch()) } }
            _ = try await server.request(at: 2)
            XCTAssertEqual(server.requests.count, 3)
            gate.open()
            try await group.waitForAll()
        }
        XCTAssertEqual(server.requests.count, 12)
        XCTAssertEqual(server.connectionCount, 3)
    }

    func testOptionsThatAreNotValidSendNothing() async throws {
        let server = try LoopbackServer(responses: [.text("x")])
        let cases: [(String, (inout CurlTransport.Options) -> Void)] = [
            ("\"store\" in `addresses`", { $0.addresses = ["store": ["127.0.0.1"]] }),
            ("\"a:0\" in `addresses`", { $0.addresses = ["a:0": ["127.0.0.1"]] }),
            ("has no addresses", { $0.addresses = ["a:1": []] }),
            ("\"b\" of \"a:1\"", { $0.addresses = ["a:1": ["b"]] }), ("takes 0 bytes", { $0.unixSocket = "" }),
            ("takes 108 bytes", { $0.unixSocket = String(repeating: "x", count: 108) }),
            ("a limit is 0", { $0.headLimit = 0 }), ("a limit is -1", { $0.connectionLimit = -1 }),
            ("the pin \"x\"", { $0.tls.pins = ["x"] }),
            ("is not the scheme of a file URL", { $0.tls.authorities = server.url }),
            ("the scheme of the proxy is ftp", { $0.proxy = .server("ftp://h") }),
            ("the proxy is not a URL", { $0.proxy = .server("http://a b") }),
            ("contains a user", { $0.proxy = .server("http://u:p@h") }),
            ("has no host", { $0.proxy = .server("http:///x") }),
        ]
        for (reason, change) in cases {
            let text = await NetworkConfiguration(server.url, change).outcome()
            XCTAssertTrue(text.hasPrefix("invalid transport: ") && text.contains(reason), "\(reason): \(text)")
        }
        XCTAssertEqual(server.connectionCount, 0)
    }

    /// libcurl takes strings of up to 8 MB. A call without the option would be less safe than the app asked for.
    func testAnOptionThatLibcurlDoesNotTakeSendsNothing() async throws {
        let server = try LoopbackServer(responses: [.text("x")])
        let long = String(repeating: "x", count: 9_000_000)
        let pin = { (number: Int) in
            Data((0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } + Data(count: 28))
        }
        let cases: [(String, (inout CurlTransport.Options) -> Void)] = [
            ("tls.pins", { $0.tls.pins = Set((0..<160_000).map { pin($0).base64EncodedString() }) }),
            ("tls.authorities", { $0.tls.authorities = URL(filePath: "/\(long)") }),
            ("proxy", { $0.proxy = .server(server.url.absoluteString, user: "u", password: long) }),
            ("interface", { $0.interface = long }),
        ]
        for (name, change) in cases {
            let text = await NetworkConfiguration(server.url, change).outcome()
            XCTAssertEqual(
                text,
                "invalid transport: libcurl \(CurlTransport.version) does not take `\(name)`; install another one, "
                    + "or change the option")
        }
        XCTAssertEqual(server.connectionCount, 0)
    }
}
#endif
