import Foundation

/// Sockets that listen on the loopback interface.
enum LoopbackSocket {
    /// The error of a system call.
    struct Failure: Error, CustomStringConvertible {
        let code: Int32

        var description: String { String(cString: strerror(code)) }
    }

    /// Creates sockets that listen on one port.
    ///
    /// - Parameters:
    ///   - host: The host. `localhost` has two sockets, or one if the system has no IPv6.
    ///   - port: The port. 0 for one that the system chooses.
    static func listen(
        on host: RedirectListener.Host, _ port: UInt16
    ) throws(Failure) -> (descriptors: [Int32], port: UInt16) {
        switch host {
        case .ipv4: return try listen("127.0.0.1", port)
        case .ipv6: return try listen("::1", port)
        case .localhost: break
        }
        var last = Failure(code: EADDRINUSE)
        // The port that the system chooses for one may be in use for the other.
        for _ in 0..<10 {
            let first = try listen("127.0.0.1", port)
            do {
                let second = try listen("::1", first.port)
                return (first.descriptors + second.descriptors, first.port)
            } catch {
                guard [EADDRINUSE, EACCES].contains(error.code) else { return first }
                for descriptor in first.descriptors { close(descriptor) }
                last = error
            }
        }
        throw last
    }

    /// Creates a socket that listens on a numeric address.
    private static func listen(
        _ host: String, _ port: UInt16
    ) throws(Failure) -> (descriptors: [Int32], port: UInt16) {
        var hints = addrinfo()
        hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV
        #if canImport(Glibc)
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #else
        hints.ai_socktype = SOCK_STREAM
        #endif
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, "\(port)", &hints, &found) == 0, let info = found else {
            throw Failure(code: EADDRNOTAVAIL)
        }
        defer { freeaddrinfo(info) }
        let address = info.pointee
        let descriptor = socket(address.ai_family, address.ai_socktype, 0)
        guard descriptor >= 0 else { throw Failure(code: errno) }
        prepare(descriptor)
        // A connection of the last sign-in may keep its port for a minute.
        var on: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
        var own = sockaddr_storage()
        var name = [CChar](repeating: 0, count: 8)
        let isListening = withUnsafeMutablePointer(to: &own) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { own in
                var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
                return bind(descriptor, address.ai_addr, address.ai_addrlen) == 0
                    && Foundation.listen(descriptor, 64) == 0
                    && getsockname(descriptor, own, &length) == 0
                    && getnameinfo(own, length, nil, 0, &name, socklen_t(name.count), NI_NUMERICSERV) == 0
            }
        }
        let digits = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        guard isListening, let chosen = UInt16(digits) else {
            let problem = Failure(code: errno)
            close(descriptor)
            throw problem
        }
        return ([descriptor], chosen)
    }

    /// Prepares a socket of this process: no blocking, and no other process gets it.
    static func prepare(_ descriptor: Int32) {
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        #if canImport(Darwin)
        var on: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<Int32>.size))
        #endif
    }
}
