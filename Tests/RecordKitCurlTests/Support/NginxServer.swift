#if os(Linux)
import RecordKitTesting
import TestSupport
import XCTest

/// nginx with HTTP/2 over TLS and without it. It ends with this value.
final class NginxServer {
    let securePort: Int
    let plainPort: Int
    private let process = Process()
    private let folder: URL
    /// Receives the uploads, which nginx passes on: it would not read them otherwise.
    private let uploads: LoopbackServer
    /// Returns the messages of WebSockets, whose connections nginx passes on.
    private let sockets: ScriptServer

    /// Starts nginx.
    ///
    /// - Throws: `XCTSkip` if the machine doesn't have it.
    init(_ certificates: Certificates) throws {
        let path = "/usr/sbin/nginx"
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw XCTSkip("nginx is missing; type: sudo apt-get install nginx-light")
        }
        folder = FileManager.default.temporaryDirectory.appending(path: "nginx-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        uploads = try LoopbackServer { .text($0.bodyLength == 500_000 ? "ok" : "\($0.bodyLength)") }
        sockets = try WebSocketPeer.echo()
        // The system chose the ports. Another program is unlikely to take them before nginx does.
        let finders = try [LoopbackServer(responses: []), LoopbackServer(responses: [])]
        (securePort, plainPort) = (finders[0].port, finders[1].port)
        for finder in finders { finder.stop() }
        try Data(count: 300_000).write(to: folder.appending(path: "large"))
        try Self.configuration(securePort, plainPort, certificates, uploads.port, sockets.port).write(
            to: folder.appending(path: "nginx.conf"), atomically: true, encoding: .utf8)
        process.executableURL = URL(filePath: path)
        process.arguments = ["-p", folder.path, "-c", "nginx.conf", "-e", "error.log"]
        process.standardError = FileHandle(forWritingAtPath: "/dev/null")
        try process.run()
        let end = ContinuousClock.now + .seconds(20)
        while !FileManager.default.fileExists(atPath: folder.appending(path: "nginx.pid").path) {
            if !process.isRunning || ContinuousClock.now > end { throw CocoaError(.executableLoad) }
            Thread.sleep(forTimeInterval: 0.01)
        }
    }

    deinit {
        // The process inherits the blocked signals of a pool's thread. SIGKILL cannot be blocked.
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        try? FileManager.default.removeItem(at: folder)
    }

    private static func configuration(
        _ secure: Int, _ plain: Int, _ certificates: Certificates, _ uploads: Int, _ sockets: Int
    ) -> String {
        """
        daemon off;
        master_process off;
        pid nginx.pid;
        events { worker_connections 512; }
        http {
            access_log off;
            client_body_temp_path body;
            proxy_temp_path proxy;
            fastcgi_temp_path fastcgi;
            uwsgi_temp_path uwsgi;
            scgi_temp_path scgi;
            client_max_body_size 0;
            keepalive_requests 100;
            server {
                listen 127.0.0.1:\(secure) ssl http2;
                listen 127.0.0.1:\(plain) http2;
                ssl_certificate \(certificates.certificate(.good).path);
                ssl_certificate_key \(certificates.key(.good).path);
                location = /ask { return 200 '$server_protocol $connection'; }
                location = /large { root .; }
                location = /status { return 404 'no'; }
                location = /socket {
                    proxy_pass http://127.0.0.1:\(sockets);
                    proxy_http_version 1.1;
                    proxy_set_header Upgrade $http_upgrade;
                    proxy_set_header Connection Upgrade;
                }
                location = /upload { proxy_pass http://127.0.0.1:\(uploads); }
            }
        }
        """
    }
}
#endif
