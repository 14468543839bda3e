#if os(Linux)
import Foundation
import TestSupport

/// A server whose connections a script handles with blocking reads and writes, on a thread of their own.
final class ScriptServer: Sendable {
    /// The end of a connection that the server holds.
    struct Connection: Sendable {
        let descriptor: Int32

        /// Returns what has arrived, at most 64 KB. Waits for it. Returns no bytes at the end.
        func read() -> Data {
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            let count = recv(descriptor, &buffer, buffer.count, 0)
            return Data(buffer.prefix(max(count, 0)))
        }

        /// Writes bytes. Returns how many the system took, which are fewer if the client reads none for a while.
        @discardableResult
        func write(_ bytes: Data) -> Int {
            bytes.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        }

        @discardableResult
        func write(_ text: String) -> Int { write(Data(text.utf8)) }

        /// Limits the time that a write waits for the client.
        func limitWrites(to milliseconds: Int) {
            var time = timeval(tv_sec: 0, tv_usec: milliseconds * 1_000)
            setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
        }

        func unlimitWrites() {
            var time = timeval()
            setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
        }
    }

    /// The port, or zero for a Unix-domain socket.
    let port: Int
    private let listener: Int32

    /// Listens on a port of 127.0.0.1.
    convenience init(_ script: @escaping @Sendable (Connection) -> Void) throws {
        let port = try LoopbackPort()
        if listen(port.descriptor, 64) != 0 { throw POSIXError(.EADDRINUSE) }
        self.init(port.descriptor, port: port.number, script)
    }

    /// Listens on a Unix-domain socket.
    convenience init(path: String, _ script: @escaping @Sendable (Connection) -> Void) throws {
        let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let isBound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0 && listen(listener, 64) == 0
            }
        }
        if !isBound { throw POSIXError(.EADDRINUSE) }
        self.init(listener, port: 0, script)
    }

    private init(_ listener: Int32, port: Int, _ script: @escaping @Sendable (Connection) -> Void) {
        self.listener = listener
        self.port = port
        Thread.detachNewThread {
            while true {
                let descriptor = accept(listener, nil, nil)
                if descriptor < 0 { break }
                Thread.detachNewThread {
                    script(Connection(descriptor: descriptor))
                    close(descriptor)
                }
            }
            // Not before the thread has left `accept`: the next server would have the same descriptor.
            close(listener)
        }
    }

    deinit { shutdown(listener, Int32(SHUT_RDWR)) }

    var url: URL { get throws { try URL(of: "http://127.0.0.1:\(port)") } }
}
#endif
