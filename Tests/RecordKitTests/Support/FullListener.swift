#if os(Linux)
import XCTest

/// A port that is open and never accepts: its queue of connections is full, so a client that connects waits.
final class FullListener: Sendable {
    let port: Int
    private let descriptors: [Int32]
    /// The addresses of the clients that filled the queue.
    private let first: Set<Substring>

    init() throws {
        let listener = try Self.socket()
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        var length = size
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                _ = bind(listener, address, size)
                _ = listen(listener, 0)
                _ = getsockname(listener, address, &length)
            }
        }
        port = Int(UInt16(bigEndian: address.sin_port))
        // One or two connections fill a queue with no length.
        var clients: [Int32] = []
        for _ in 0..<4 {
            let client = try Self.socket()
            _ = fcntl(client, F_SETFL, O_NONBLOCK)
            withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { _ = connect(client, $0, size) }
            }
            clients.append(client)
        }
        descriptors = [listener] + clients
        first = Self.clients(of: port)
        XCTAssertGreaterThanOrEqual(first.count, clients.count)
    }

    deinit {
        for descriptor in descriptors { close(descriptor) }
    }

    /// Whether another client has begun to connect, according to the system's table of sockets.
    var isBeingConnectedTo: Bool { !Self.clients(of: port).isSubset(of: first) }

    /// Returns the addresses of the sockets whose peer is a port, connected or connecting. The table may repeat a line
    /// while it changes.
    private static func clients(of port: Int) -> Set<Substring> {
        // The file has no size, so it must be read to its end.
        let bytes = try? FileHandle(forReadingAtPath: "/proc/net/tcp")?.readToEnd()
        let table = String(decoding: bytes ?? Data(), as: UTF8.self)
        let peer = String(format: "0100007F:%04X", port)
        return table.split(separator: "\n").reduce(into: []) { clients, line in
            let columns = line.split(separator: " ")
            guard columns.count > 3, columns[2] == peer, ["01", "02"].contains(columns[3]) else { return }
            clients.insert(columns[1])
        }
    }

    private static func socket() throws -> Int32 {
        let descriptor = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw POSIXError(.EMFILE) }
        return descriptor
    }
}
#endif
