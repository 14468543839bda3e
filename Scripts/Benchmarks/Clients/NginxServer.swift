import Foundation
import RecordKitTesting

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// nginx on a free port of the loopback interface, with a folder of its own. It stops with this value, or with this
/// process, however the process ends.
final class NginxServer: Sendable {
    let url: URL
    /// The same over TLS, with HTTP/2, if the server was created with it.
    let secureURL: URL
    /// The trusted authorities of the system, with the certificate of the server.
    var authorities: URL { folder.appending(path: "authorities.pem") }
    private let folder: URL
    private let process: Process
    private let lifeline: Pipe

    /// - Parameters:
    ///   - list: The response for `records/all`, and as an event stream for `records/events`.
    ///   - length: The length of the response for `zeros`, which takes no space.
    ///   - isSecure: Whether it also listens with TLS.
    init(list: Data = Data(), zeros length: Int = 0, isSecure: Bool = false) async throws {
        let path = ["/usr/sbin/nginx", "/usr/bin/nginx", "/usr/local/bin/nginx", "/opt/homebrew/bin/nginx"]
            .first { FileManager.default.isExecutableFile(atPath: $0) }
        guard let path else {
            throw MissingTool(
                "nginx", "on Debian and Ubuntu: sudo apt-get install nginx-light; on macOS: brew install nginx")
        }
        folder = FileManager.default.temporaryDirectory.appending(path: "benchmark-\(UUID().uuidString)")
        let records = folder.appending(path: "www/records")
        try FileManager.default.createDirectory(at: records, withIntermediateDirectories: true)
        try Listing.sample.json.write(to: records.appending(path: "LP-0042"))
        try Release.sample.json.write(to: records.appending(path: "release"))
        try list.write(to: records.appending(path: "all"))
        let zeros = folder.appending(path: "www/zeros")
        try Data().write(to: zeros)
        let handle = try FileHandle(forWritingTo: zeros)
        try handle.truncate(atOffset: UInt64(length))
        try handle.close()

        // The system chose the port. Another program is unlikely to take it before nginx does.
        let portFinder = try LoopbackServer(responses: [])
        let secureFinder = try LoopbackServer(responses: [])
        let (port, securePort) = (portFinder.port, secureFinder.port)
        portFinder.stop()
        secureFinder.stop()
        var lines = ""
        if isSecure {
            try Self.makeCertificate(in: folder)
            lines = "listen 127.0.0.1:\(securePort) ssl http2; ssl_certificate own.pem; ssl_certificate_key key.pem;"
        }
        try Data(Self.configuration(port: port, name: folder.lastPathComponent, lines).utf8).write(
            to: folder.appending(path: "nginx.conf"))
        guard let url = URL(string: "http://127.0.0.1:\(port)"),
            let secureURL = URL(string: "https://localhost:\(securePort)")
        else { throw WrongAnswer("no URL") }
        (self.url, self.secureURL) = (url, secureURL)
        process = Process()
        lifeline = Pipe()
        process.executableURL = URL(filePath: "/bin/sh")
        // The shell reads until this process closes the pipe or ends. A child inherits the signals that its parent's
        // thread blocks, but SIGKILL cannot be blocked.
        _ = fcntl(lifeline.fileHandleForWriting.fileDescriptor, F_SETFD, FD_CLOEXEC)
        process.arguments = [
            "-c", "\"$0\" \"$@\" & read -r _; kill -9 $!", path, "-p", folder.path, "-c", "nginx.conf", "-e",
            "error.log",
        ]
        process.currentDirectoryURL = folder
        process.standardInput = lifeline
        try process.run()
        try await waitUntilReady()
    }

    /// Serves a file of zeros that takes no space, as `file`.
    func serveFile(length: Int) throws {
        let file = folder.appending(path: "www/file")
        try Data().write(to: file)
        let handle = try FileHandle(forWritingTo: file)
        try handle.truncate(atOffset: UInt64(length))
        try handle.close()
    }

    deinit {
        try? lifeline.fileHandleForWriting.close()
        process.waitUntilExit()
        try? FileManager.default.removeItem(at: folder)
    }

    /// Makes a certificate, and a file of the system's size with it.
    private static func makeCertificate(in folder: URL) throws {
        let (certificate, key) = (folder.appending(path: "own.pem"), folder.appending(path: "key.pem"))
        try Command.run(
            "openssl",
            [
                "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "7", "-subj", "/CN=localhost", "-addext",
                "subjectAltName=DNS:localhost", "-out", certificate.path, "-keyout", key.path, "-batch",
            ])
        let system = ["/etc/ssl/certs/ca-certificates.crt", "/etc/ssl/cert.pem"].compactMap {
            FileManager.default.contents(atPath: $0)
        }
        let all = (system.first ?? Data()) + (try Data(contentsOf: certificate))
        try all.write(to: folder.appending(path: "authorities.pem"))
    }

    /// Responds with its own name, because another program may have taken the port.
    private func waitUntilReady() async throws {
        for _ in 0..<100 {
            if let (data, _) = try? await URLSession.shared.data(from: url.appending(path: "ready")),
                data == Data(folder.lastPathComponent.utf8)
            {
                return
            }
            try await Task.sleep(for: .milliseconds(50))
        }
        let log = try? String(contentsOf: folder.appending(path: "error.log"), encoding: .utf8)
        throw WrongAnswer("nginx did not start: \(log ?? "no log")")
    }

    /// One process in the foreground, without logs. It never closes a connection, keeps its files in its folder, and
    /// caches nothing.
    private static func configuration(port: Int, name: String, _ lines: String) -> String {
        """
        daemon off;
        master_process off;
        pid nginx.pid;
        events { worker_connections 4096; }
        http {
            access_log off;
            default_type application/json;
            client_body_temp_path body;
            proxy_temp_path proxy;
            fastcgi_temp_path fastcgi;
            uwsgi_temp_path uwsgi;
            scgi_temp_path scgi;
            client_max_body_size 0;
            keepalive_requests 100000000;
            keepalive_timeout 600s;
            lingering_time 600s;
            sendfile on;
            tcp_nopush on;
            add_header Cache-Control no-store;
            server {
                listen 127.0.0.1:\(port);
                \(lines)
                root www;
                location = /ready { return 200 '\(name)'; }
                location = /records/events { alias www/records/all; default_type text/event-stream; }
                location = /close { keepalive_timeout 0; return 200 'x'; }
                location = /uploads { return 204; }
                location = /records { return 201 '\(String(decoding: Listing.sample.json, as: UTF8.self))'; }
            }
        }
        """
    }
}
