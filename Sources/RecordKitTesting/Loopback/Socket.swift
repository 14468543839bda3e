public import Foundation

/// A descriptor that never blocks and never raises SIGPIPE: a TCP socket, or an end of a pipe.
struct Socket: Sendable {
    let descriptor: Int32

    /// The result of a transfer that must not block.
    enum Transfer {
        case bytes(Int)
        case later
        case ended
    }

    /// Creates a listener on 127.0.0.1, on a port that the system chooses.
    static func makeListener() throws(SocketError) -> (socket: Socket, port: Int) {
        #if canImport(Glibc)
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
        let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        guard descriptor >= 0 else { throw SocketError(operation: "socket", code: errno) }
        let listener = Socket(descriptor: descriptor)
        listener.prepare()
        var address = sockaddr_in()
        #if canImport(Darwin)
        address.sin_len = UInt8(MemoryLayout<sockaddr_in>.size)
        #endif
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let failed: String? = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                if bind(descriptor, address, length) != 0 { return "bind" }
                if listen(descriptor, 1024) != 0 { return "listen" }
                if getsockname(descriptor, address, &length) != 0 { return "getsockname" }
                return nil
            }
        }
        if let failed {
            let code = errno
            listener.release()
            throw SocketError(operation: failed, code: code)
        }
        return (listener, Int(UInt16(bigEndian: address.sin_port)))
    }

    /// Creates a pipe. Returns its two ends.
    static func makePipe() throws(SocketError) -> (reader: Socket, writer: Socket) {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw SocketError(operation: "pipe", code: errno) }
        let (reader, writer) = (Socket(descriptor: ends[0]), Socket(descriptor: ends[1]))
        reader.neverBlock()
        writer.neverBlock()
        return (reader, writer)
    }

    /// Accepts the next connection. Returns `nil` if there is none.
    ///
    /// - Throws: `SocketError` if the system can't accept a connection now.
    func accepted() throws(SocketError) -> Socket? {
        let descriptor = accept(self.descriptor, nil, nil)
        guard descriptor >= 0 else {
            let code = errno
            // These errors come from a client that closed the connection before it was accepted.
            if [EAGAIN, EWOULDBLOCK, EINTR, ECONNABORTED].contains(code) { return nil }
            throw SocketError(operation: "accept", code: code)
        }
        let socket = Socket(descriptor: descriptor)
        socket.prepare()
        return socket
    }

    func receive(into buffer: UnsafeMutableRawBufferPointer) -> Transfer {
        Self.transfer(read(descriptor, buffer.baseAddress, buffer.count), endsAtZero: true)
    }

    func transmit(_ bytes: UnsafeRawBufferPointer) -> Transfer {
        #if canImport(Darwin)
        let flags: Int32 = 0
        #else
        let flags = Int32(MSG_NOSIGNAL)
        #endif
        return Self.transfer(send(descriptor, bytes.baseAddress, bytes.count, flags), endsAtZero: false)
    }

    /// Writes a byte into a pipe. A full pipe wakes its reader, too.
    func signal() {
        var byte: UInt8 = 0
        _ = write(descriptor, &byte, 1)
    }

    /// Sends FIN. Bytes from the peer can still be read.
    func finishSending() {
        _ = shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Makes the next ``release()`` send RST.
    func resetWhenReleased() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
    }

    func release() {
        _ = close(descriptor)
    }

    private func prepare() {
        neverBlock()
        var on: Int32 = 1
        let length = socklen_t(MemoryLayout<Int32>.size)
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, length)
        #if canImport(Darwin)
        setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &on, length)
        #endif
    }

    private func neverBlock() {
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }

    private static func transfer(_ count: Int, endsAtZero: Bool) -> Transfer {
        if count > 0 || (count == 0 && !endsAtZero) { return .bytes(count) }
        if count < 0, [EAGAIN, EWOULDBLOCK, EINTR].contains(errno) { return .later }
        return .ended
    }
}

/// An error of the system that a ``LoopbackServer`` can't continue with. Usually the process has too many open
/// descriptors.
public struct SocketError: LocalizedError, Equatable, CustomStringConvertible {
    /// The system call that failed.
    public let operation: String
    /// The `errno` of the system call.
    public let code: Int32

    /// A message that names the system call and its error.
    public var description: String {
        "The loopback server could not start: \(operation) failed, \(String(cString: strerror(code))) (\(code))."
    }

    /// The same as ``description``.
    public var errorDescription: String? { description }
}
