import Dispatch
public import Foundation
public import RecordKit

/// How a call without a connection waits for one.
///
/// Outside of a call, such as for a queue of requests, use ``wait(for:clock:)``.
public struct ConnectionWait: Sendable {
    let wait: @Sendable (NetworkCall) async throws(NetworkError) -> Void

    /// Creates a way to wait for a connection.
    ///
    /// - Parameter wait: Returns when another attempt may succeed. Wait with `NetworkCall.sleep(for:)`, or end soon
    ///   after the task is cancelled.
    public init(_ wait: @escaping @Sendable (NetworkCall) async throws(NetworkError) -> Void) {
        self.wait = wait
    }

    /// Waits until another attempt may succeed, outside of a call.
    ///
    /// - Parameters:
    ///   - url: A URL of the host that has no connection.
    ///   - clock: The clock of the waits. Default: the system's.
    /// - Throws: `NetworkError.cancelled` if the task is cancelled.
    public func wait(for url: URL, clock: NetworkClock = .continuous) async throws(NetworkError) {
        try await wait(NetworkCall(url: url, clock: clock))
    }

    /// The default of the platform.
    ///
    /// On Apple's platforms, waits until there is a network. That says nothing about the host, so a host that refuses
    /// connections soon uses up its attempts. On other platforms, the same as ``probing(from:to:)``.
    public static var automatic: ConnectionWait {
        #if canImport(Network)
        ConnectionWait { (_) async throws(NetworkError) in
            guard await NetworkPath.isSatisfied() else { throw .cancelled }
        }
        #else
        probing()
        #endif
    }

    /// Returns a way to wait until the host of the call accepts a connection, which is then closed.
    ///
    /// All calls that wait for a host share the probes. Don't use it with a proxy, because it connects to the host
    /// itself.
    ///
    /// - Parameters:
    ///   - shortest: The time between the first two probes. It doubles with each probe. Default: 250 milliseconds.
    ///   - longest: The longest time between two probes. Default: 15 seconds.
    public static func probing(
        from shortest: Duration = .milliseconds(250), to longest: Duration = .seconds(15)
    ) -> ConnectionWait {
        probing(from: shortest, to: longest) { await ConnectProbe.isOpen($0, port: $1) }
    }

    static func probing(
        from shortest: Duration, to longest: Duration,
        isOpen: @escaping @Sendable (_ host: String, _ port: Int) async -> Bool
    ) -> ConnectionWait {
        let flights = Flights<String, Void>()
        return ConnectionWait { (call) async throws(NetworkError) in
            let host = call.url.host(percentEncoded: false) ?? ""
            let port = call.url.port ?? (call.url.scheme?.lowercased() == "http" ? 80 : 443)
            try await flights.value(of: call.origin.hostAndPort, endsWithLast: true) {
                let longest = max(longest.limited, .milliseconds(1))
                var pause = min(max(shortest, .milliseconds(1)), longest)
                while !Task.isCancelled {
                    if await isOpen(host, port) { return .success(()) }
                    // This is the clock's sleep, not the call's: the deadline is each caller's own, and the probes are
                    // shared.
                    do { try await call.clock.sleep(pause) } catch { break }
                    pause = min(pause * 2, longest)
                }
                return .failure(.cancelled)
            }
        }
    }
}

/// Checks whether a host accepts connections.
enum ConnectProbe {
    /// `getaddrinfo` blocks, and the threads of Swift's tasks must not be blocked.
    private static let queue = DispatchQueue(label: "RecordKit.probe", qos: .utility, attributes: .concurrent)

    static func isOpen(_ host: String, port: Int) async -> Bool {
        await withUnsafeContinuation { continuation in
            queue.async { continuation.resume(returning: tryAddresses(of: host, port)) }
        }
    }

    private static func tryAddresses(of host: String, _ port: Int) -> Bool {
        var hints = addrinfo()
        #if canImport(Glibc)
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #else
        hints.ai_socktype = SOCK_STREAM
        #endif
        var first: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, String(port), &hints, &first) == 0 else { return false }
        defer { freeaddrinfo(first) }
        var next = first
        while let address = next?.pointee {
            if connects(to: address) { return true }
            next = address.ai_next
        }
        return false
    }

    private static func connects(to address: addrinfo) -> Bool {
        let descriptor = socket(address.ai_family, address.ai_socktype, address.ai_protocol)
        guard descriptor >= 0 else { return false }
        defer { _ = close(descriptor) }
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        if connect(descriptor, address.ai_addr, address.ai_addrlen) == 0 { return true }
        guard errno == EINPROGRESS else { return false }
        var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        guard poll(&waiting, 1, 3000) == 1 else { return false }
        var failure: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &failure, &size) == 0 && failure == 0
    }
}
