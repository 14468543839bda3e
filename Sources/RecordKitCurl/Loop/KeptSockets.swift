import CCurl
import Foundation

/// The sockets of the connections that libcurl keeps, to look for bytes that nothing asked for.
///
/// libcurl 7.88.1 uses a kept connection although unread bytes lie on it, and reads them as the response to the next
/// request. A server, or a program that can write to its connections, could so choose the response to a request of another.
///
/// It isn't Sendable: only the thread of the event loop uses it.
final class KeptSockets {
    /// The descriptors with their local ports. A closed one stays until its number is used again: its port then belongs
    /// to no connection, so it is only looked at in vain.
    private var ports: [Int32: Int32] = [:]
    /// The local ports of connections that more than one transfer has used.
    private var shared: Set<Int32> = []

    /// Adds the socket of a connection over HTTP/1 that may be kept. Over HTTP/2, bytes may arrive at any time.
    func add(_ socket: Int32, port: Int32) {
        ports[socket] = port
    }

    /// Notes that a transfer uses the connection with this local port.
    func use(port: Int32, isNew: Bool) {
        if isNew { shared.remove(port) } else { shared.insert(port) }
    }

    /// Returns whether another transfer has used the connection with this local port, too.
    func isShared(port: Int32) -> Bool { shared.contains(port) }

    /// Returns whether the connection with this local port has unread bytes, or was closed by the server.
    ///
    /// - Parameter handle: The handle that uses the connection.
    func hasUnreadBytes(port: Int32, _ handle: EasyHandle) -> Bool {
        for case (let socket, port) in ports {
            var byte: UInt8 = 0
            if recv(socket, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) >= 0 || handle.holdsUnreadBytes { return true }
        }
        return false
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
