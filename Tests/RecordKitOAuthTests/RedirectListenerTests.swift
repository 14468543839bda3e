import RecordKit
import RecordKitOAuth
import RecordKitTesting
import TestSupport
import XCTest

/// The listener on the loopback interface, with real connections.
final class RedirectListenerTests: TimedTestCase {
    private let browser = NetworkSession()

    private func get(_ address: String) async throws -> NetworkResponse {
        try await browser.outcome(of: Ask(baseURL: address, path: "")).get()
    }

    /// Returns a sign-in, and the query of its redirect.
    private func signIn(_ listener: RedirectListener) throws -> (BrowserAuthorization, query: String) {
        let client = OAuthClient("tool", at: ScriptedServer.endpoints)
        let authorization = try client.browserAuthorization(redirectURL: listener.redirectURL)
        let items = RequestQuery(parsing: authorization.url.query(percentEncoded: true) ?? "").items
        let state = try XCTUnwrap(items.first { $0.name == "state" }?.value)
        return (authorization, "?code=a%20b&state=\(state)")
    }

    private func connect(to address: String, sending bytes: String) throws -> FileHandle {
        let port = try XCTUnwrap(URL(string: address)?.port)
        let descriptor = socket(AF_INET, stream, 0)
        var target = sockaddr_in()
        target.sin_family = sa_family_t(AF_INET)
        target.sin_port = in_port_t(port).bigEndian
        target.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &target) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Foundation.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        XCTAssertEqual(result, 0)
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        try handle.write(contentsOf: Data(bytes.utf8))
        return handle
    }

    #if canImport(Glibc)
    private let stream = Int32(SOCK_STREAM.rawValue)
    #else
    private let stream = SOCK_STREAM
    #endif

    private func response(_ handle: FileHandle) async throws -> String {
        String(decoding: try await Task.detached { try handle.readToEnd() ?? Data() }.value, as: UTF8.self)
    }

    func testARedirectIsReceivedOnEachHost() async throws {
        let hasIPv6 = (try? RedirectListener(host: .ipv6)) != nil
        let table: [(RedirectListener.Host, name: String)] = [
            (.ipv4, "127.0.0.1"), (.ipv6, "[::1]"), (.localhost, "localhost"),
        ]
        // A container may have no IPv6.
        for (host, name) in table where hasIPv6 || host != .ipv6 {
            let listener = try RedirectListener(path: "/done/here", host: host)
            let url = listener.redirectURL
            XCTAssertTrue(url.hasPrefix("http://\(name):"), url)
            XCTAssertTrue(url.hasSuffix("/done/here"), url)
            let (authorization, query) = try signIn(listener)
            async let redirect = listener.redirect(for: authorization)
            if host == .localhost {
                for address in ["127.0.0.1"] + (hasIPv6 ? ["[::1]"] : []) {
                    assertEqual(try await get(url.replacing(name, with: address) + query).statusCode, 400, address)
                }
            }
            let page = try await get(url + query)
            XCTAssertTrue(String(decoding: page.body, as: UTF8.self).contains("close this window"), name)
            assertEqual(try await redirect.absoluteString, url + query)
            // The port is closed.
            let outcome = await browser.outcome(of: Ask(baseURL: url, path: ""))
            guard case .failure(.connection) = outcome else { return XCTFail("\(outcome)") }
        }
    }

    func testAPortIsUsedAgain() async throws {
        let first = try RedirectListener(host: .localhost)
        let port = try UInt16(XCTUnwrap(URL(string: first.redirectURL)?.port))
        XCTAssertThrowsError(try RedirectListener(port: port)) { error in
            XCTAssertTrue("\(error)".contains("the port \(port) can't be used"), "\(error)")
        }
        let (authorization, query) = try signIn(first)
        async let redirect = first.redirect(for: authorization)
        _ = try await get(first.redirectURL + query)
        _ = try await redirect
        let second = try RedirectListener(path: "/x", host: .localhost, port: port)
        XCTAssertEqual(second.redirectURL, "http://localhost:\(port)/x")
    }

    func testAPathIsChecked() throws {
        for path in ["callback", "", "/a b", "/a?b", "/a#b", "/a\r\nb", "/ä"] {
            XCTAssertThrowsError(try RedirectListener(path: path), path) { error in
                guard case .listener? = error as? OAuthError else { return XCTFail("\(error)") }
            }
        }
        XCTAssertNoThrow(try RedirectListener(path: "/a/b-c/%20"))
    }

    func testOtherRequestsAndConnectionsDoNotCount() async throws {
        let listener = try RedirectListener()
        let (authorization, query) = try signIn(listener)
        let (_, theirs) = try signIn(listener)
        let own = "Host: \(listener.redirectURL.dropFirst(7).prefix { $0 != "/" })\r\n\r\n"
        // They are sent before anything is received, too.
        let silent = try (0..<40).map { try connect(to: listener.redirectURL, sending: $0 % 2 == 0 ? "" : "GET /call") }
        let notFound = [
            "GET / HTTP/1.1\r\n\r\n", "GET /favicon.ico HTTP/1.1\r\n\r\n", "POST /callback?code=c HTTP/1.1\r\n\r\n",
            "GET /callbacks?code=c HTTP/1.1\r\n\r\n", "GET /callback/x HTTP/1.1\r\n\r\n", "\r\n\r\n", "\u{0}\r\n\r\n",
            "GET //callback HTTP/1.1\r\n\r\n", "GET  HTTP/1.1\r\n\r\n",
        ]
        let queries = ["", theirs, query + "&state=x", query + query.dropFirst(), "?state=", "?error=access_denied"]
        let hosts = [
            "", "Host: evil.example\r\n", "Host: evil.example:80\r\nX: y\r\n", "Host: localhost\r\n",
            "Host: evil.example\r\n" + own.dropLast(),
        ]
        var refused = queries.map { "GET /callback\($0) HTTP/1.1\r\n\(own)" }
        refused += hosts.map { "GET /callback\(query) HTTP/1.1\r\n\($0)\r\n" }
        var table: [(String, String)] = notFound.map { ($0, "404") }
        table += refused.map { ($0, "400") }
        table += notFound.map { ($0, "404") }
        XCTAssertGreaterThan(table.count + silent.count, 30)
        let large = try connect(
            to: listener.redirectURL, sending: "GET /callback?" + String(repeating: "x", count: 100_000))
        async let redirect = listener.redirect(for: authorization)
        for (request, status) in table {
            let text = try await response(connect(to: listener.redirectURL, sending: request))
            XCTAssertTrue(text.hasPrefix("HTTP/1.1 \(status)"), "\(request): \(text)")
            XCTAssertFalse(text.contains("Done"), request)
        }
        _ = try await get(listener.redirectURL + query)
        assertEqual(try await redirect.query(percentEncoded: true), String(query.dropFirst()))
        withExtendedLifetime((silent, large)) {}
    }

    func testARedirectThatArrivesInPieces() async throws {
        let listener = try RedirectListener()
        let (authorization, query) = try signIn(listener)
        let browser = try connect(to: listener.redirectURL, sending: "GET /callback\(query.prefix(9))")
        async let redirect = listener.redirect(for: authorization)
        let host = listener.redirectURL.dropFirst(7).prefix { $0 != "/" }
        for piece in ["\(query.dropFirst(9)) HTTP/1.1\r", "\nhOST:\(host) \r\n", "\r\n"] {
            try browser.write(contentsOf: Data(piece.utf8))
        }
        assertEqual(try await redirect.absoluteString, listener.redirectURL + query)
    }

    func testTheWaitEnds() async throws {
        let listener = try RedirectListener()
        let (authorization, _) = try signIn(listener)
        let late = await failure { () async throws(OAuthError) in
            try await listener.redirect(for: authorization, within: .milliseconds(20))
        }
        guard case .timedOut? = late else { return XCTFail("\(late as Any)") }
        let again = await failure { () async throws(OAuthError) in try await listener.redirect(for: authorization) }
        guard case .listener? = again else { return XCTFail("\(again as Any)") }

        let other = try RedirectListener()
        let task = Task {
            await failure { () async throws(OAuthError) in try await other.redirect(for: authorization) }
        }
        task.cancel()
        guard case .network(.cancelled)? = await task.value else { return XCTFail("not cancelled") }
    }

    func testAReleasedListenerClosesItsPort() async throws {
        let address = try RedirectListener().redirectURL
        let outcome = await browser.outcome(of: Ask(baseURL: address, path: ""))
        guard case .failure(.connection) = outcome else { return XCTFail("\(outcome)") }
    }

    #if os(Linux)
    /// In a process of its own, which may have as few descriptors as the test needs.
    func testWithoutDescriptorsItWaits() throws {
        if ChildProcess.task != nil { return }
        let child = try ChildProcess.run(
            "RecordKitOAuthTests.RedirectListenerTests/testInTheChildThereAreNoDescriptors", task: "descriptors")
        XCTAssertEqual(child.status, 0, child.output)
    }

    func testInTheChildThereAreNoDescriptors() async throws {
        guard ChildProcess.task == "descriptors" else { return }
        let listener = try RedirectListener()
        let (authorization, query) = try signIn(listener)
        let host = listener.redirectURL.dropFirst(7).prefix { $0 != "/" }
        let browser = try connect(
            to: listener.redirectURL, sending: "GET /callback\(query) HTTP/1.1\r\nHost: \(host)\r\n\r\n")
        // Dispatch makes descriptors for its first timer, and traps if it gets none (Swift 6.3.1).
        try await Task.sleep(for: .milliseconds(1))
        var limit = rlimit(rlim_cur: 100, rlim_max: 100)
        XCTAssertEqual(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit), 0)
        var taken: [Int32] = []
        while case let descriptor = open("/dev/null", O_RDONLY), descriptor >= 0 { taken.append(descriptor) }
        async let redirect = listener.redirect(for: authorization)
        let start = clock()
        try await Task.sleep(for: .seconds(1))
        let used = Double(clock() - start) / Double(CLOCKS_PER_SEC)
        XCTAssertLessThan(used, 0.5, "it spins")
        for descriptor in taken { close(descriptor) }
        assertEqual(try await redirect.absoluteString, listener.redirectURL + query)
        withExtendedLifetime(browser) {}
    }
    #endif
}
