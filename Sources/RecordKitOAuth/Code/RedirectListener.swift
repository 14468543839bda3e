public import Foundation
import RecordKit
import Synchronization

/// A listener on the loopback interface that receives the redirect of a sign-in, for tools (RFC 8252 section 7.3).
///
/// ```swift
/// let listener = try RedirectListener()
/// let request = try client.authorizationCodeRequest(to: listener.address)
/// print("Open \(request.url)")
/// let redirect = try await listener.redirect()
/// ```
///
/// It listens as soon as it is created, on a port that the system chooses, which servers have to allow. It takes one
/// redirect to its path, and responds with a small page. Other requests get the status 404. Connections that send
/// nothing don't matter.
public final class RedirectListener: Sendable {
    /// The interface that a listener uses. The name `localhost` isn't offered: it may belong to another interface
    /// (RFC 8252 section 8.3).
    public enum Interface: Sendable {
        /// 127.0.0.1
        case ipv4
        /// \[::1\]
        case ipv6
    }

    /// The redirect URL, such as `http://127.0.0.1:49152/callback`.
    public let address: String
    private let path: String
    private let page: String
    private let state: Mutex<State>

    private enum State {
        case ready(Int32), receiving, closed
    }

    /// Starts to listen.
    ///
    /// - Parameters:
    ///   - path: The path of the redirect URL, as it is registered with the server. Default: `/callback`.
    ///   - interface: The interface. Default: 127.0.0.1.
    ///   - page: The HTML page that the browser shows after the redirect. Its scripts and images don't run. Default: a
    ///     sentence that the window can be closed.
    /// - Throws: ``OAuthError/listener(_:)`` if the system has no port.
    public init(
        path: String = "/callback", on interface: Interface = .ipv4,
        page: String = "<!doctype html><title>Sign-in</title><p>Done. You can close this window."
    ) throws(OAuthError) {
        let (descriptor, port) = try Self.makeListener(on: interface == .ipv4 ? "127.0.0.1" : "::1")
        self.path = path
        self.page = page
        address = "http://\(interface == .ipv4 ? "127.0.0.1" : "[::1]"):\(port)\(path)"
        state = Mutex(.ready(descriptor))
    }

    deinit {
        if case .ready(let descriptor) = state.withLock({ $0 }) { _ = close(descriptor) }
    }

    /// Waits for the redirect, then stops listening. Can be called once.
    ///
    /// - Parameter limit: The longest time to wait. Default: five minutes.
    /// - Returns: The URL that the browser was redirected to.
    /// - Throws: ``OAuthError/timedOut``, `OAuthError.network(.cancelled)` if the task is cancelled, or
    ///   ``OAuthError/listener(_:)`` at a second call.
    public func redirect(within limit: Duration = .seconds(300)) async throws(OAuthError) -> URL {
        let descriptor = state.withLock { state -> Int32? in
            guard case .ready(let descriptor) = state else { return nil }
            state = .receiving
            return descriptor
        }
        guard let descriptor else { throw .listener("the listener was used before; create another one") }
        let end = ContinuousClock.now + limit
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // The thread waits in `poll`, which a thread of the concurrency runtime must not do.
                Thread.detachNewThread { continuation.resume(returning: self.receive(descriptor, until: end)) }
            }
        } onCancel: {
            state.withLock { $0 = .closed }
        }
        return try result.get()
    }

    private struct Connection {
        let descriptor: Int32
        var bytes: [UInt8] = []
    }

    /// Accepts connections until one has sent the redirect.
    private func receive(_ listener: Int32, until end: ContinuousClock.Instant) -> Result<URL, OAuthError> {
        var connections: [Connection] = []
        defer { for descriptor in [listener] + connections.map(\.descriptor) { _ = close(descriptor) } }
        while true {
            if case .closed = state.withLock({ $0 }) { return .failure(.network(.cancelled)) }
            let now = ContinuousClock.now
            guard now < end else { return .failure(.timedOut) }
            var polled = ([listener] + connections.map(\.descriptor)).map {
                pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
            }
            // Returns ten times a second, to notice a cancellation.
            guard poll(&polled, nfds_t(polled.count), end - now < .milliseconds(100) ? 10 : 100) > 0 else { continue }
            let ready = Set(polled.filter { $0.revents != 0 }.map(\.fd))
            for index in connections.indices.reversed() where ready.contains(connections[index].descriptor) {
                let isOpen = read(&connections[index])
                let redirect = target(of: connections[index]).flatMap { respond(to: $0, connections[index]) }
                if let redirect { return .success(redirect) }
                if !isOpen { _ = close(connections.remove(at: index).descriptor) }
            }
            guard ready.contains(listener) else { continue }
            let accepted = accept(listener, nil, nil)
            guard accepted >= 0 else { continue }
            Self.prepare(accepted)
            connections.append(Connection(descriptor: accepted))
            // The oldest silent connection gives way.
            if connections.count > 32 { _ = close(connections.removeFirst().descriptor) }
        }
    }

    /// Reads what a connection has sent. Returns whether it is to be kept: its request isn't complete yet.
    private func read(_ connection: inout Connection) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 8192)
        let count = recv(connection.descriptor, &buffer, buffer.count, 0)
        guard count > 0 else { return count < 0 && (errno == EAGAIN || errno == EINTR) }
        connection.bytes += buffer[..<count]
        return connection.bytes.count <= 1 << 16 && target(of: connection) == nil
    }

    /// Returns the target of a request whose head is complete. An unreadable request has an empty target.
    private func target(of connection: Connection) -> String? {
        let head = String(decoding: connection.bytes, as: UTF8.self)
        guard head.contains("\r\n\r\n") else { return nil }
        let line = head.prefix { !$0.isNewline }.split(separator: " ", omittingEmptySubsequences: false)
        return line.count == 3 && line[0] == "GET" ? String(line[1]) : ""
    }

    /// Responds to a request. Returns the redirect if it is one.
    private func respond(to target: String, _ connection: Connection) -> URL? {
        let isOurs = target.prefix { $0 != "?" } == path
        let redirect = isOurs ? URL(string: String(address.dropLast(path.count)) + target) : nil
        let page = redirect == nil ? "" : page
        let response = """
            HTTP/1.1 \(redirect == nil ? "404 Not Found" : "200 OK")\r
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
        _ = send(connection.descriptor, bytes, bytes.count, 0)
        #else
        _ = send(connection.descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        #endif
        return redirect
    }
}

extension RedirectListener {
    /// Creates a listener on a numeric address, on a port that the system chooses.
    private static func makeListener(on host: String) throws(OAuthError) -> (descriptor: Int32, port: String) {
        var hints = addrinfo()
        hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV
        #if canImport(Glibc)
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #else
        hints.ai_socktype = SOCK_STREAM
        #endif
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, "0", &hints, &found) == 0, let info = found else {
            throw .listener("this system has no address \(host)")
        }
        defer { freeaddrinfo(info) }
        let address = info.pointee
        let descriptor = socket(address.ai_family, address.ai_socktype, 0)
        guard descriptor >= 0 else { throw .listener(lastError) }
        prepare(descriptor)
        var own = sockaddr_storage()
        var port = [CChar](repeating: 0, count: 8)
        let isListening = withUnsafeMutablePointer(to: &own) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { own in
                var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
                return bind(descriptor, address.ai_addr, address.ai_addrlen) == 0 && listen(descriptor, 64) == 0
                    && getsockname(descriptor, own, &length) == 0
                    && getnameinfo(own, length, nil, 0, &port, socklen_t(port.count), NI_NUMERICSERV) == 0
            }
        }
        guard isListening else {
            let problem = lastError
            _ = close(descriptor)
            throw .listener(problem)
        }
        return (descriptor, String(decoding: port.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
    }

    private static var lastError: String { String(cString: strerror(errno)) }

    private static func prepare(_ descriptor: Int32) {
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        #if canImport(Darwin)
        var on: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<Int32>.size))
        #endif
    }
}
