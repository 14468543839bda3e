#if os(Linux)
import RecordKit
import RecordKitCurl
import RecordKitTesting
import TestSupport
import XCTest

/// The request for a WebSocket, and the servers that refuse it.
final class WebSocketHandshakeTests: TimedTestCase {
    private func failureOfOpening(_ script: @escaping @Sendable (WebSocketPeer) -> Void) async throws -> String {
        let server = try ScriptServer { script(WebSocketPeer($0)) }
        let events = EventSpy()
        var network = NetworkConfiguration(try server.url)
        network.observers = [events]
        let manager = NetworkManager<Fetch>(network)
        let text = await failure { () async throws(NetworkError) in
            _ = try await manager.webSocket(for: Fetch(headers: ["Sec-WebSocket-Protocol": "chat, store"]))
        }
        XCTAssertEqual(events.details(of: .read).count, 1, "a refusal is no success, whatever its status")
        XCTAssertEqual(manager.inFlight, 0)
        return text
    }

    private func failureOfAnswer(_ answer: String) async throws -> String {
        try await failureOfOpening { $0.connection.write(answer) }
    }

    func testTheRequest() async throws {
        let head = Kept("")
        let server = try ScriptServer { connection in
            let peer = WebSocketPeer(connection)
            head.set(peer.head)
            peer.accept("Sec-WebSocket-Protocol: store\r\nX-Shop: 7\r\n")
            peer.write(1, Data("hello".utf8))
            _ = peer.readsEnd()
        }
        var network = NetworkConfiguration(try server.url)
        network.headers["X-Till"] = "3"
        let fetch = Fetch(
            path: "a b/c", query: ["q": "ä&"],
            headers: ["Sec-WebSocket-Protocol": "chat, store", "Cookie": "a=1", "cookie": "b=2"])
        let manager = NetworkManager<Fetch>(network)
        let socket = try await manager.webSocket(for: fetch) { $0.headers["Authorization"] = "Bearer x" }
        XCTAssertEqual(socket.subprotocol, "store")
        XCTAssertEqual(socket.response.statusCode, 101)
        XCTAssertEqual(socket.response.headers["X-Shop"], "7")
        // It came with the head, perhaps in the same packet.
        assertEqual(try await socket.receive(), .text("hello"))
        let lines = head.now.components(separatedBy: "\r\n")
        XCTAssertEqual(lines[0], "GET /a%20b/c?q=%C3%A4%26 HTTP/1.1")
        for line in [
            "Host: 127.0.0.1:\(server.port)", "Upgrade: websocket", "Connection: Upgrade",
            "Sec-WebSocket-Version: 13", "X-Till: 3", "Authorization: Bearer x", "Cookie: a=1; b=2",
        ] { XCTAssertTrue(lines.contains(line), "\(line) is missing in \(lines)") }
        let key = lines.first { $0.hasPrefix("Sec-WebSocket-Key: ") }?.dropFirst(19)
        XCTAssertEqual(key.flatMap { Data(base64Encoded: String($0)) }?.count, 16)
    }

    func testSchemes() async throws {
        let server = try WebSocketPeer.echo()
        let network = NetworkConfiguration(
            environment: NetworkEnvironment("ws://127.0.0.1:\(server.port)"), transport: CurlTransport())
        let manager = NetworkManager<Fetch>(network)
        let socket = try await manager.webSocket(for: Fetch())
        try await socket.send(.text("x"))
        assertEqual(try await socket.receive(), .text("x"))
        XCTAssertEqual(socket.response.url.scheme, "http")
        // Other calls can't be sent there.
        let text = await network.outcome()
        XCTAssertTrue(text.hasPrefix("invalid baseURL"), text)
        let plain = try ScriptServer { connection in
            _ = connection.read()
            connection.write("HTTP/1.1 400 no TLS\r\n\r\n")
        }
        let secure = NetworkManager<Fetch>(
            NetworkConfiguration(
                environment: NetworkEnvironment("wss://127.0.0.1:\(plain.port)"), transport: CurlTransport()))
        let failure = await failure { () async throws(NetworkError) in _ = try await secure.webSocket(for: Fetch()) }
        XCTAssertTrue(failure.hasPrefix("tls("), failure)
    }

    /// nginx ends TLS, and passes the connection on.
    func testTLS() async throws {
        let certificates = try Certificates.shared.get()
        let server = try NginxServer(certificates)
        let pin = try certificates.pin
        func manager(_ authorities: URL?, _ pin: String) throws -> NetworkManager<Fetch> {
            var options = CurlTransport.Options()
            options.tls.authorities = authorities
            options.tls.pins = [pin]
            return NetworkManager(
                NetworkConfiguration(
                    environment: NetworkEnvironment("wss://localhost:\(server.securePort)"),
                    transport: CurlTransport(options)))
        }
        let right = try manager(certificates.authority, pin)
        let socket = try await right.webSocket(for: Fetch(path: "socket"))
        let large = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 % 253) })
        for message in [WebSocketMessage.text("grün"), .data(large), .text("")] {
            async let sending: Void = socket.send(message)
            let received = try await socket.receive()
            try await sending
            XCTAssertTrue(received == message)
        }
        try await socket.close(code: .goingAway, reason: "bye")
        XCTAssertEqual(socket.peerClose, WebSocketClose(.goingAway, reason: "bye"))
        assertNil(try await socket.receive())
        await until { right.inFlight == 0 }

        let others = try [manager(nil, pin), manager(certificates.authority, Data(count: 32).base64EncodedString())]
        for other in others {
            let failure = await failure { () async throws(NetworkError) in
                _ = try await other.webSocket(for: Fetch(path: "socket"))
            }
            let isMistrust = failure.contains("untrusted) unsent") || failure.contains("pinMismatch) unsent")
            XCTAssertTrue(failure.hasPrefix("tls(") && isMistrust, failure)
        }
    }

    func testRefusals() async throws {
        let chunked = "Transfer-Encoding: chunked\r\n\r\n3\r\nno \r\nA;x=y\r\nadmittance\r\n0\r\nTrailer: 1\r\n\r\n"
        let cases: [(String, String)] = [
            ("HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno", "refused 403 no"),
            ("HTTP/1.1 103 Early\r\nLink: a\r\n\r\nHTTP/1.1 404\r\n\r\nuntil the end", "refused 404 until the end"),
            ("HTTP/1.1 401 Unauthorized\r\n\(chunked)", "refused 401 no admittance"),
            ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", "refused 200 ok"),
            ("HTTP/1.1 204 No Content\r\n\r\n", "refused 204 "),
            ("HTTP/1.1 500 x\r\nContent-Length: 5\r\n\r\nno", "lost"),
            ("HTTP/1.1 500 x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "bad response"),
            ("HTTP/1.1 500 x\r\nContent-Length: -5\r\n\r\n", "bad response"),
            ("HTTP/1.1 500 x\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nno", "bad response"),
            ("HTTP/1.1 500 x\r\nNo colon\r\n\r\n", "bad response"), ("SSH-2.0-OpenSSH_9.2\r\n", "bad response"),
            ("HTTP/1.1 500 x\r\nX: \(String(repeating: "x", count: 300_000))", "bad response"),
            ("HTTP/1.1 101 x\r\n", "lost"), ("", "lost"),
        ]
        for (answer, expected) in cases {
            let text = try await failureOfAnswer(answer)
            XCTAssertTrue(text.hasPrefix(expected), "\(answer.prefix(100)): \(text)")
        }
    }

    /// RFC 9110 section 7.8.
    func testHTTP10HasNoUpgrade() async throws {
        let lines = "Upgrade: websocket\r\nConnection: Upgrade\r\n"
        let text = try await failureOfOpening {
            $0.connection.write("HTTP/1.0 101 x\r\n\(lines)Sec-WebSocket-Accept: \($0.acceptance)\r\n\r\n")
        }
        XCTAssertTrue(text.contains("HTTP/1.0"), text)
    }

    func testAcceptancesThatAreNotValid() async throws {
        let start = "HTTP/1.1 101 x\r\n"
        let cases: [(@Sendable (WebSocketPeer) -> String, String)] = [
            ({ "Connection: Upgrade\r\nSec-WebSocket-Accept: \($0.acceptance)\r\n" }, "Upgrade field"),
            ({ "Upgrade: h2c\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: \($0.acceptance)\r\n" }, "Upgrade field"),
            ({ "Upgrade: websocket\r\nSec-WebSocket-Accept: \($0.acceptance)\r\n" }, "Connection field"),
            ({ _ in "Upgrade: websocket\r\nConnection: Upgrade\r\n" }, "Sec-WebSocket-Accept"),
            (
                { _ in "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: x\r\n" },
                "Sec-WebSocket-Accept"
            ),
        ]
        for (lines, expected) in cases {
            let text = try await failureOfOpening { $0.connection.write("\(start)\(lines($0))\r\n") }
            XCTAssertTrue(text.hasPrefix("bad response") && text.contains(expected), text)
        }
        let deflating = try await failureOfOpening { $0.accept("Sec-WebSocket-Extensions: permessage-deflate\r\n") }
        XCTAssertTrue(deflating.contains("extensions"), deflating)
        let unknown = try await failureOfOpening { $0.accept("Sec-WebSocket-Protocol: other\r\n") }
        XCTAssertTrue(unknown.contains("subprotocol"), unknown)
    }

    /// Nothing of these is sent.
    func testRequestsThatCannotOpenAWebSocket() async throws {
        let manager = try NetworkManager(try WebSocketPeer.echo())
        let stub = NetworkManager<Fetch>(NetworkConfiguration(environment: NetworkEnvironment("http://a.example")))
        let cases: [(NetworkManager<Fetch>, Fetch, Duration?, String)] = [
            (manager, Fetch(method: .post), nil, "method"), (manager, Fetch(headers: ["Upgrade": "x"]), nil, "headers"),
            (manager, Fetch(headers: ["sec-websocket-key": "x"]), nil, "headers"),
            (manager, Fetch(), .zero, "options"), (stub, Fetch(), nil, "transport"),
        ]
        for (manager, fetch, interval, member) in cases {
            let text = await failure { () async throws(NetworkError) in
                _ = try await manager.webSocket(for: fetch, pingInterval: interval)
            }
            XCTAssertEqual(text, "invalid \(member)")
        }
    }

    /// A 401 has the interceptors send the request again, and a redirect is followed.
    func testInterceptorsAndRedirects() async throws {
        struct Login: NetworkInterceptor {
            func intercept(_ call: NetworkCall, next: NetworkCall.Next) async throws(NetworkError) -> NetworkResponse {
                let response = try await next(call)
                if response.statusCode != 401 || String(decoding: response.body, as: UTF8.self) != "who?" {
                    return response
                }
                var again = call.nextAttempt()
                again.headers["Authorization"] = "Bearer 7"
                return try await next(again)
            }
        }
        let target = try WebSocketPeer.echo()
        let server = try ScriptServer { connection in
            let peer = WebSocketPeer(connection)
            if peer.field("Authorization") == "Bearer 7" {
                peer.connection.write(
                    "HTTP/1.1 307 x\r\nLocation: http://127.0.0.1:\(target.port)/b\r\nContent-Length: 9\r\n\r\n")
            } else {
                peer.connection.write("HTTP/1.1 401 x\r\nContent-Length: 4\r\n\r\nwho?")
            }
            _ = peer.readsEnd()
        }
        var network = NetworkConfiguration(try server.url)
        network.interceptors = [Login()]
        let manager = NetworkManager<Fetch>(network)
        let socket = try await manager.webSocket(for: Fetch())
        XCTAssertEqual(socket.response.redirects.count, 1)
        XCTAssertEqual(manager.inFlight, 1)
        try await socket.send(.text("x"))
        assertEqual(try await socket.receive(), .text("x"))
    }
}
#endif
