import CCurl
import Foundation

/// The sockets of libcurl's connections, to look for bytes that nothing asked for, and to write a request at once.
///
/// libcurl 7.88.1 uses a kept connection although unread bytes lie on it, and reads them as the response to the next
/// request. A server, or a program that can write to its connections, could so choose the response to a request of
/// another.
///
/// It isn't Sendable: only the thread of the event loop uses it.
final class KeptSockets {
    /// The descriptors by local port, which Unix-domain sockets lack. A closed one stays until another connection has
    /// the port.
    private var sockets: [Int32: Int32] = [:]
    /// The local ports of connections over HTTP/1 that may be kept. Over HTTP/2, bytes may arrive at any time.
    private var http1: Set<Int32> = []
    /// The local ports of connections that more than one transfer has used.
    private var shared: Set<Int32> = []
    /// The sockets that hold back what is written to them.
    private var corked: [Int32] = []

    /// Notes that a transfer uses the connection with this local port.
    ///
    /// - Parameter socket: The descriptor of a new connection, if it is known.
    func use(port: Int32, isNew: Bool, _ socket: Int32?) {
        if isNew {
            sockets[port] = port == 0 ? nil : socket
            http1.remove(port)
            shared.remove(port)
        } else {
            shared.insert(port)
        }
    }

    /// Notes that the connection with this local port uses HTTP/1.
    func usesHTTP1(port: Int32) { http1.insert(port) }

    /// Returns whether another transfer has used the connection with this local port, too.
    func isShared(port: Int32) -> Bool { shared.contains(port) }

    /// Returns whether the connection with this local port has unread bytes, or was closed by the server.
    ///
    /// - Parameter handle: The handle that uses the connection.
    func hasUnreadBytes(port: Int32, _ handle: EasyHandle) -> Bool {
        guard http1.contains(port), let socket = socket(port: port) else { return false }
        var byte: UInt8 = 0
        return recv(socket, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) >= 0 || handle.holdsUnreadBytes
    }

    /// Holds back what is written to the connection with this local port, until the end of the pass.
    ///
    /// The server then receives the head and the body of a small request at once. If it responds to the head alone, and
    /// resets the HTTP/2 stream, libcurl (7.88.1) drops the response.
    func cork(port: Int32) {
        #if os(Linux)
        guard let socket = socket(port: port) else { return }
        Self.setCork(socket, 1)
        corked.append(socket)
        #endif
    }

    func uncork() {
        #if os(Linux)
        for socket in corked { Self.setCork(socket, 0) }
        corked.removeAll(keepingCapacity: true)
        #endif
    }

    #if os(Linux)
    private static func setCork(_ socket: Int32, _ value: Int32) {
        var value = value
        setsockopt(socket, Int32(IPPROTO_TCP), TCP_CORK, &value, socklen_t(MemoryLayout<Int32>.size))
    }
    #endif

    /// Returns the descriptor of the connection with this local port, unless it was closed.
    private func socket(port: Int32) -> Int32? {
        sockets[port].flatMap { Self.port(of: $0) == port ? $0 : nil }
    }

    /// Returns the local port of a socket, or zero if it has none.
    static func port(of socket: Int32) -> Int32 {
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(socket, $0, &length) }
        }
        if result != 0 { return 0 }
        return withUnsafeBytes(of: address) { bytes in
            switch Int32(address.ss_family) {
            // The port follows the family in both.
            case AF_INET, AF_INET6: Int32(UInt16(bigEndian: bytes.load(fromByteOffset: 2, as: UInt16.self)))
            default: 0
            }
        }
    }
}
