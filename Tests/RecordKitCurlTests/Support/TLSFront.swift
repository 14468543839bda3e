#if os(Linux)
import RecordKitCurl
import TestSupport
import XCTest

/// Ends TLS in front of a server, using the system's Python. What the server writes at once is one TLS record.
final class TLSFront {
    let port: Int
    private let process = Process()
    /// Listens as long as this value lives.
    private let server: ScriptServer

    /// Starts it on `localhost`.
    ///
    /// - Parameters:
    ///   - protocols: The protocols that it offers (ALPN), such as `h2`.
    ///   - maximumVersion: The latest version of TLS that it speaks.
    init(
        _ server: ScriptServer, _ certificates: Certificates, protocols: [String] = [],
        maximumVersion: CurlTransport.TLS.Version = .tls13
    ) throws {
        self.server = server
        let pipe = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments =
            [
                "python3", "-c", Self.script, "\(server.port)", certificates.certificate(.good).path,
                certificates.key(.good).path, maximumVersion == .tls12 ? "TLSv1_2" : "TLSv1_3",
            ] + protocols
        process.standardOutput = pipe
        process.standardInput = FileHandle(forReadingAtPath: "/dev/null")
        try process.run()
        let text = String(decoding: pipe.fileHandleForReading.availableData, as: UTF8.self)
        guard let port = Int(text.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            throw XCTSkip("python3 is missing")
        }
        self.port = port
    }

    deinit {
        // The process inherits the blocked signals of a pool's thread. SIGKILL cannot be blocked.
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    var url: URL { get throws { try URL(of: "https://localhost:\(port)") } }

    private static let script = """
        import select, socket, ssl, sys, threading
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[2], sys.argv[3])
        context.maximum_version = ssl.TLSVersion[sys.argv[4]]
        if sys.argv[5:]: context.set_alpn_protocols(sys.argv[5:])
        def serve(client):
            try:
                client = context.wrap_socket(client, server_side=True)
                client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                server = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
                while True:
                    ready = [client] if client.pending() else select.select([client, server], [], [])[0]
                    for source in ready:
                        data = source.recv(1 << 16)
                        if not data: return
                        (server if source is client else client).sendall(data)
            except OSError: pass
            finally:
                client.close()
                if "server" in locals(): server.close()
        listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        print(listener.getsockname()[1], flush=True)
        while True:
            threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
        """
}
#endif
