import Dispatch
import Foundation
import RecordKit

/// Whether something takes connections at an address.
enum ConnectProbe {
    /// Names are resolved by a call that blocks, which the threads of Swift's tasks must not.
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
