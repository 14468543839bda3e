import TestSupport
import Foundation
import RecordKitTesting

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A client that sends exactly the given bytes, and blocks while it reads, ten seconds at most.
final class WireClient {
    private let descriptor: Int32
    private var isOpen = true

    init(_ server: LoopbackServer) throws {
        descriptor = tcpSocket()
        var address = sockaddr_in()
        #if canImport(Darwin)
        address.sin_len = UInt8(MemoryLayout<sockaddr_in>.size)
        #endif
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(server.port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        let connected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        var limit = timeval(tv_sec: 10, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        if connected != 0 { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .ECONNREFUSED) }
    }

    deinit { hangUp() }

    /// Returns whether everything was sent.
    @discardableResult
    func send(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            #if canImport(Darwin)
            write(descriptor, bytes.baseAddress, bytes.count) == bytes.count
            #else
            sendto(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL), nil, 0) == bytes.count
            #endif
        }
    }

    /// Reads up to a suffix, or to the end of the connection.
    func read(until end: String) -> String {
        var received: [UInt8] = []
        var byte: UInt8 = 0
        while !received.suffix(end.utf8.count).elementsEqual(end.utf8), recv(descriptor, &byte, 1, 0) == 1 {
            received.append(byte)
        }
        return String(decoding: received, as: UTF8.self)
    }

    /// Reads to the end of the connection. Returns the error number if the connection was reset.
    func readToEnd() -> (text: String, error: Int32) {
        var received: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count > 0 {
                received += buffer[..<count]
            } else {
                return (String(decoding: received, as: UTF8.self), count < 0 ? errno : 0)
            }
        }
    }

    func finishSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    func hangUp() {
        guard isOpen else { return }
        isOpen = false
        _ = close(descriptor)
    }
}
