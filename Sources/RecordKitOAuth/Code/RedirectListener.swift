public import Foundation
import RecordKit
import Synchronization

/// A listener on the loopback interface that receives the redirect of a sign-in, for tools (RFC 8252 section 7.3).
///
/// ```swift
/// let listener = try RedirectListener()
/// let signIn = try client.browserAuthorization(
///     redirectURL: listener.redirectURL)
/// print("Open \(signIn.url)")
/// let redirect = try await listener.redirect(for: signIn)
/// ```
///
/// It listens as soon as it is created. It takes the redirect with the `state` of the sign-in, and responds with a
/// small page. Other requests get the status 404 or 400, and the listener goes on: other pages in the browser may send
/// them. Connections that send nothing don't matter.
public final class RedirectListener: Sendable {
    /// The host in the redirect URL. The list of cases is complete.
    public enum Host: Sendable {
        /// 127.0.0.1
        case ipv4
        /// \[::1\]
        case ipv6
        /// `localhost`, for a server that compares the redirect URL with one of this name. Listens on 127.0.0.1 and on
        /// \[::1\], since the browser chooses one of them. Prefer the numeric ones: the name may belong to another
        /// interface (RFC 8252 section 8.3).
        case localhost
    }

    /// The redirect URL, such as `http://127.0.0.1:49152/callback`.
    public let redirectURL: String
    private let path: String
    /// The values of the header field `Host` in a request to this listener.
    private let hosts: [String]
    private let page: String
    private let state: Mutex<State>

    private enum State {
        case ready([Int32]), receiving, closed
    }

    /// Starts to listen.
    ///
    /// - Parameters:
    ///   - path: The path of the redirect URL, as it is registered with the server. Default: `/callback`.
    ///   - host: The host of the redirect URL. Default: 127.0.0.1.
    ///   - port: The port of the redirect URL, for a server that compares it. Default: 0, a port that the system
    ///     chooses. Servers have to allow any port for a numeric host (RFC 8252 section 7.3).
    ///   - page: The HTML page that the browser shows after the redirect. Its scripts and images don't run. Default: a
    ///     sentence that the window can be closed.
    /// - Throws: ``OAuthError/listener(_:)`` if the path isn't valid, or the port can't be used.
    public init(
        path: String = "/callback", host: Host = .ipv4, port: UInt16 = 0,
        page: String = "<!doctype html><title>Sign-in</title><p>Done. You can close this window."
    ) throws(OAuthError) {
        guard path.hasPrefix("/"), path.utf8.allSatisfy(Self.isAllowed) else {
            throw .listener("its path has to begin with a slash, and to be percent-encoded")
        }
        let name =
            switch host {
            case .ipv4: "127.0.0.1"
            case .ipv6: "[::1]"
            case .localhost: "localhost"
            }
        let sockets: (descriptors: [Int32], port: UInt16)
        do {
            sockets = try LoopbackSocket.listen(on: host, port)
        } catch {
            throw .listener("\(name) \(port == 0 ? "" : "with the port \(port) ")can't be used: \(error)")
        }
        self.path = path
        self.page = page
        // Browsers leave out the default port.
        hosts = ["\(name):\(sockets.port)"] + (sockets.port == 80 ? [name] : [])
        redirectURL = "http://\(name):\(sockets.port)\(path)"
        state = Mutex(.ready(sockets.descriptors))
    }

    deinit {
        if case .ready(let descriptors) = state.withLock({ $0 }) { for descriptor in descriptors { close(descriptor) } }
    }

    /// Returns whether a byte may be a part of a path (RFC 3986 section 3.3).
    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-._~!$&'()*+,;=:@/%".utf8.contains(byte)
        }
    }

    /// Waits for the redirect of a sign-in, then stops listening. Can be called once.
    ///
    /// - Parameters:
    ///   - authorization: The sign-in, whose `state` the redirect must have.
    ///   - limit: The longest time to wait. Default: five minutes.
    /// - Returns: The URL that the browser was redirected to.
    /// - Throws: ``OAuthError/timedOut``, `OAuthError.network(.cancelled)` if the task is cancelled, or
    ///   ``OAuthError/listener(_:)`` at a second call.
    public func redirect(
        for authorization: BrowserAuthorization, within limit: Duration = .seconds(300)
    ) async throws(OAuthError) -> URL {
        let listeners = state.withLock { state -> [Int32]? in
            guard case .ready(let descriptors) = state else { return nil }
            state = .receiving
            return descriptors
        }
        guard let listeners else { throw .listener("the listener was used before; create another one") }
        let end = ContinuousClock.now + limit
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // The thread waits in `poll`, which a thread of the concurrency runtime must not do.
                Thread.detachNewThread {
                    continuation.resume(returning: self.receive(on: listeners, authorization, until: end))
                }
            }
        } onCancel: {
            state.withLock { $0 = .closed }
        }
        return try result.get()
    }

    fileprivate struct Connection {
        let descriptor: Int32
        var bytes: [UInt8] = []
    }

    /// Accepts connections until one has sent the redirect.
    private func receive(
        on listeners: [Int32], _ authorization: BrowserAuthorization, until end: ContinuousClock.Instant
    ) -> Result<URL, OAuthError> {
        var connections: [Connection] = []
        defer { for descriptor in listeners + connections.map(\.descriptor) { _ = close(descriptor) } }
        // Whether the process had no descriptor for a connection. It stays ready, so `poll` must not look at it.
        var isExhausted = false
        while true {
            if case .closed = state.withLock({ $0 }) { return .failure(.network(.cancelled)) }
            let now = ContinuousClock.now
            guard now < end else { return .failure(.timedOut) }
            var polled = ((isExhausted ? [] : listeners) + connections.map(\.descriptor)).map {
                pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
            }
            isExhausted = false
            // Returns ten times a second, to notice a cancellation.
            guard poll(&polled, nfds_t(polled.count), end - now < .milliseconds(100) ? 10 : 100) > 0 else { continue }
            let ready = Set(polled.filter { $0.revents != 0 }.map(\.fd))
            for index in connections.indices.reversed() where ready.contains(connections[index].descriptor) {
                let isOpen = read(&connections[index])
                let request = RedirectRequest(connections[index].bytes)
                let redirect = request.flatMap { respond(to: $0, authorization, connections[index]) }
                if let redirect { return .success(redirect) }
                if !isOpen { _ = close(connections.remove(at: index).descriptor) }
            }
            for listener in listeners where ready.contains(listener) {
                let accepted = accept(listener, nil, nil)
                let hasNoDescriptor = accepted < 0 && [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(errno)
                if accepted >= 0 {
                    LoopbackSocket.prepare(accepted)
                    connections.append(Connection(descriptor: accepted))
                }
                // The oldest silent connection gives way.
                if connections.count > 32 || hasNoDescriptor && !connections.isEmpty {
                    _ = close(connections.removeFirst().descriptor)
                } else if hasNoDescriptor {
                    isExhausted = true
                }
            }
        }
    }

    /// Reads what a connection has sent. Returns whether it is to be kept: its request isn't complete yet.
    private func read(_ connection: inout Connection) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 8192)
        let count = recv(connection.descriptor, &buffer, buffer.count, 0)
        guard count > 0 else { return count < 0 && (errno == EAGAIN || errno == EINTR) }
        connection.bytes += buffer[..<count]
        return connection.bytes.count <= 1 << 16 && RedirectRequest(connection.bytes) == nil
    }

    /// Responds to a request. Returns the redirect if it is that of the sign-in.
    private func respond(
        to request: RedirectRequest, _ authorization: BrowserAuthorization, _ connection: Connection
    ) -> URL? {
        guard request.target.prefix(while: { $0 != "?" }) == path else {
            connection.send("404 Not Found", "")
            return nil
        }
        // The name of another host leads here if a page of that host is in the browser (DNS rebinding).
        guard request.host.map(hosts.contains) == true,
            let redirect = URL(string: redirectURL.dropLast(path.count) + request.target),
            authorization.hasState(redirect)
        else {
            connection.send(
                "400 Bad Request", "<!doctype html><title>Sign-in</title><p>This isn't the expected redirect.")
            return nil
        }
        connection.send("200 OK", page)
        return redirect
    }
}

/// The head of a request, as far as it matters.
private struct RedirectRequest {
    /// The target of a GET request. Empty for other requests.
    let target: String
    /// The value of `Host` in lower case, if there is one.
    let host: String?

    /// Reads a head. `nil` if it isn't complete.
    init?(_ bytes: [UInt8]) {
        let head = String(decoding: bytes, as: UTF8.self)
        guard head.contains("\r\n\r\n") else { return nil }
        let lines = head.split(separator: "\r\n", omittingEmptySubsequences: false).prefix { !$0.isEmpty }
        let words = lines.first?.split(separator: " ", omittingEmptySubsequences: false) ?? []
        target = words.count == 3 && words[0] == "GET" ? String(words[1]) : ""
        let hosts = lines.dropFirst().map { $0.lowercased() }.filter { $0.hasPrefix("host:") }
        host = hosts.count == 1 ? hosts[0].dropFirst(5).trimmingCharacters(in: .whitespaces) : nil
    }
}

extension RedirectListener.Connection {
    fileprivate func send(_ status: String, _ page: String) {
        let response = """
            HTTP/1.1 \(status)\r
            Content-Type: text/html; charset=utf-8\r
            Content-Length: \(page.utf8.count)\r
            Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline'\r
            Referrer-Policy: no-referrer\r
            Cache-Control: no-store\r
            Connection: close\r
            \r
            \(page)
            """
        let bytes = Array(response.utf8)
        #if canImport(Darwin)
        _ = Foundation.send(descriptor, bytes, bytes.count, 0)
        #else
        _ = Foundation.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        #endif
    }
}
