import Foundation

/// Returns a new TCP socket for IPv4.
public func tcpSocket() -> Int32 {
    #if canImport(Glibc)
    socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
    socket(AF_INET, SOCK_STREAM, 0)
    #endif
}

/// A socket that is bound to a free port of 127.0.0.1, and doesn't listen yet.
public struct LoopbackPort: Sendable {
    public let descriptor: Int32
    public let number: Int

    public init() throws {
        descriptor = tcpSocket()
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { [descriptor] pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, size) == 0 && getsockname(descriptor, address, &size) == 0
            }
        }
        if !isBound { throw POSIXError(.EADDRINUSE) }
        number = Int(UInt16(bigEndian: address.sin_port))
    }
}
