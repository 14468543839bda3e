import Foundation
import RecordKit
import RecordKitOAuth
import RecordKitTesting
import TestSupport
import XCTest

/// The listener on the loopback interface, with real connections.
final class RedirectListenerTests: TimedTestCase {
    private let browser = NetworkSession()

    private func get(_ address: String, method: HTTPMethod = .get) async throws -> NetworkResponse {
        try await browser.outcome(of: Ask(baseURL: address, path: "", method: method)).get()
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

    func testARedirectIsReceivedOnBothInterfaces() async throws {
        for interface in [RedirectListener.Interface.ipv4, .ipv6] {
            // A container may have no IPv6.
            guard let listener = try? RedirectListener(path: "/done/here", on: interface) else {
                XCTAssertEqual(interface, .ipv6)
                continue
            }
            let host = interface == .ipv4 ? "127.0.0.1" : "[::1]"
            XCTAssertTrue(listener.address.hasPrefix("http://\(host):"), listener.address)
            XCTAssertTrue(listener.address.hasSuffix("/done/here"), listener.address)
            async let redirect = listener.redirect()
            let page = try await get(listener.address + "?code=a%20b&state=s")
            XCTAssertTrue(String(decoding: page.body, as: UTF8.self).contains("close this window"))
            let url = try await redirect
            XCTAssertEqual(url.absoluteString, listener.address + "?code=a%20b&state=s")
            // The port is closed.
            let outcome = await browser.outcome(of: Ask(baseURL: listener.address, path: ""))
            guard case .failure(.connection) = outcome else { return XCTFail("\(outcome)") }
        }
    }

    func testOtherRequestsAndConnectionsDoNotCount() async throws {
        let listener = try RedirectListener()
        // They are sent before anything is received, too.
        let silent = try (0..<40).map { try connect(to: listener.address, sending: $0 % 2 == 0 ? "" : "GET /call") }
        let others = try [
            "GET / HTTP/1.1\r\n\r\n", "GET /favicon.ico HTTP/1.1\r\n\r\n", "POST /callback?code=c HTTP/1.1\r\n\r\n",
            "GET /callbacks?code=c HTTP/1.1\r\n\r\n", "GET /callback/x HTTP/1.1\r\n\r\n", "\r\n\r\n", "\u{0}\r\n\r\n",
            "GET //callback HTTP/1.1\r\n\r\n", "GET  HTTP/1.1\r\n\r\n",
            "GET /callback?" + String(repeating: "x", count: 100_000),
        ].map { try connect(to: listener.address, sending: $0) }
        async let redirect = listener.redirect()
        for other in others.dropLast() {
            let response = try await Task.detached { try other.readToEnd() ?? Data() }.value
            XCTAssertTrue(String(decoding: response, as: UTF8.self).hasPrefix("HTTP/1.1 404"))
        }
        _ = try await get(listener.address + "?code=c")
        let url = try await redirect
        XCTAssertEqual(url.query(), "code=c")
        withExtendedLifetime((silent, others)) {}
    }

    func testARedirectThatArrivesInPieces() async throws {
        let listener = try RedirectListener()
        let browser = try connect(to: listener.address, sending: "GET /callback?co")
        async let redirect = listener.redirect()
        for piece in ["de=c HTTP/1.1\r", "\nHost: x\r\n", "\r\n"] { try browser.write(contentsOf: Data(piece.utf8)) }
        let url = try await redirect
        XCTAssertEqual(url.query(), "code=c")
    }

    func testTheWaitEnds() async throws {
        let listener = try RedirectListener()
        let late = await failure { () async throws(OAuthError) in try await listener.redirect(within: .milliseconds(20))
        }
        guard case .timedOut? = late else { return XCTFail("\(late as Any)") }
        let again = await failure { () async throws(OAuthError) in try await listener.redirect() }
        guard case .listener? = again else { return XCTFail("\(again as Any)") }

        let other = try RedirectListener()
        let task = Task { await failure { () async throws(OAuthError) in try await other.redirect() } }
        task.cancel()
        guard case .network(.cancelled)? = await task.value else { return XCTFail("not cancelled") }
    }

    func testAReleasedListenerClosesItsPort() async throws {
        let address = try RedirectListener().address
        let outcome = await browser.outcome(of: Ask(baseURL: address, path: ""))
        guard case .failure(.connection) = outcome else { return XCTFail("\(outcome)") }
    }
}
