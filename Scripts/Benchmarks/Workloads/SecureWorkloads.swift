import Foundation
import RecordKit
import RecordKitCurl

/// What a server does with libcurl: calls over TLS, with the connections that they open, and calls that wait.
extension Workload {
    static let curlSecure = secure("curl-secure", "HTTP/1.1", .never, count: 2_000)
    static let curlSecureHTTP2 = secure("curl-secure-h2", "HTTP/2", .overTLS, count: 2_000)
    static let curlSecureConcurrent = secureConcurrent("curl-secure-64", "HTTP/1.1", .never)
    static let curlSecureConcurrentHTTP2 = secureConcurrent("curl-secure-64-h2", "HTTP/2", .overTLS)

    /// Each turn has a transport of its own, so that the first connection counts.
    private static func secure(
        _ name: String, _ version: String, _ http2: CurlTransport.HTTP2, count: Int
    ) -> Workload {
        Workload(
            name: name, title: "GET of 1 KB from nginx over TLS and \(version), one after the other, with a connection",
            isCompared: false, count: count, instructionCount: 200
        ) {
            let server = try await NginxServer(isSecure: true)
            return [
                Client("libcurl", holding: server) { count in
                    try await microseconds(count) {
                        let network = network(server, http2)
                        for _ in 0..<count { try await network.fetch() }
                    }
                }
            ]
        }
    }

    private static func secureConcurrent(_ name: String, _ version: String, _ http2: CurlTransport.HTTP2) -> Workload {
        Workload(
            name: name, title: "GET of 1 KB from nginx over TLS and \(version), 64 at once, with their connections",
            isCompared: false, count: 6_400, quickCount: 64
        ) {
            let server = try await NginxServer(isSecure: true)
            let program = Client("the curl program", holding: server) { count in
                let url = server.secureURL.appending(path: "records/LP-0042").absoluteString
                return try await microseconds(count) {
                    try Command.run(
                        "curl",
                        [
                            "-s", "-Z", "--parallel-max", "64", "--cacert", server.authorities.path,
                            http2 == .never ? "--http1.1" : "--http2", "-o", "/dev/null", "\(url)?[1-\(count)]",
                        ])
                }
            }
            let library = Client("libcurl", holding: server) { count in
                try await microseconds(count) {
                    let network = network(server, http2)
                    try await withThrowingTaskGroup(of: Void.self) { group in
                        for _ in 0..<64 {
                            group.addTask { for _ in 0..<(count / 64) { try await network.fetch() } }
                        }
                        try await group.waitForAll()
                    }
                }
            }
            return [library, program]
        }
    }

    /// The connections of a call over TLS: the first one of a transport, and the others.
    static let curlConnections = Workload(
        name: "curl-connections", title: "processor time of new connections over TLS, to one transport", unit: "ms",
        isCompared: false, count: 20, quickCount: 2, rounds: 1
    ) {
        let server = try await NginxServer(isSecure: true)
        return [
            Client("the first", holding: server) { _ in try await connecting(1, network(server, .never)) },
            Client("the others", holding: server) { count in
                let network = network(server, .never)
                _ = try await connecting(1, network)
                return try await connecting(count, network)
            },
        ]
    }

    static let curlWaiting = Workload(
        name: "curl-waiting", title: "memory of a call that waits, with 5,000 at once", unit: "KB", isCompared: false,
        count: 5_000, quickCount: 20, rounds: 1
    ) {
        [Client("libcurl") { count in try await waitingMemory(count) }]
    }
}

/// Returns the processor time of a call with a connection of its own, in milliseconds.
private func connecting(_ count: Int, _ network: NetworkSession) async throws -> Double {
    let before = clock()
    // nginx closes the connection after it.
    for _ in 0..<count { _ = try await network.value(for: Endpoint<Data, NetworkError>(path: "close")) }
    return Double(clock() - before) / Double(CLOCKS_PER_SEC) * 1_000 / Double(count)
}

/// Returns the resident memory that each of some calls takes while it waits for a response, in KB.
private func waitingMemory(_ count: Int) async throws -> Double {
    let server = try SilentServer()
    var options = CurlTransport.Options()
    options.exchangesPerHost = count + 1
    let network = NetworkSession(
        NetworkConfiguration(environment: NetworkEnvironment(server.url), transport: CurlTransport(options)))
    func begin(_ count: Int) async throws -> [Task<Void, any Error>] {
        let calls = (0..<count).map { _ in Task { try await network.fetch() } }
        // Until all have sent their request.
        try await Task.sleep(for: .seconds(2))
        return calls
    }
    let first = try await begin(1)
    let before = try statusNumber("VmRSS:")
    let calls = try await begin(count)
    let after = try statusNumber("VmRSS:")
    if network.inFlight != count + 1 { throw WrongAnswer("\(network.inFlight) calls wait") }
    for call in first + calls { call.cancel() }
    withExtendedLifetime(server) {}
    return Double(after - before) / Double(count)
}

/// A program that accepts connections and never responds. It ends with this value, or with this process.
private final class SilentServer: Sendable {
    let url: String
    private let lifeline = Pipe()

    init() throws {
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [
            "python3", "-c",
            """
            import socket, sys, threading
            listener = socket.create_server(("127.0.0.1", 0), backlog=4096)
            def serve():
                connections = []
                while True: connections.append(listener.accept())
            threading.Thread(target=serve, daemon=True).start()
            print(listener.getsockname()[1], flush=True)
            sys.stdin.read()
            """,
        ]
        _ = fcntl(lifeline.fileHandleForWriting.fileDescriptor, F_SETFD, FD_CLOEXEC)
        process.standardInput = lifeline
        process.standardOutput = output
        try process.run()
        let port = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        if port.isEmpty { throw MissingTool("python3", "the server that never responds is written in it") }
        url = "http://127.0.0.1:\(port.trimmingCharacters(in: .whitespacesAndNewlines))"
    }

    deinit {
        try? lifeline.fileHandleForWriting.close()
    }
}

private func network(_ server: NginxServer, _ http2: CurlTransport.HTTP2) -> NetworkSession {
    var options = CurlTransport.Options()
    options.http2 = http2
    options.tls.authorities = server.authorities
    return NetworkSession(
        NetworkConfiguration(environment: NetworkEnvironment(server.secureURL), transport: CurlTransport(options)))
}

extension NetworkSession {
    fileprivate func fetch() async throws {
        if try await value(for: Endpoint<Data, NetworkError>(path: "records/LP-0042")).isEmpty {
            throw WrongAnswer("no body")
        }
    }
}

private func microseconds(_ count: Int, _ work: () async throws -> Void) async rethrows -> Double {
    let start = ContinuousClock.now
    try await work()
    return (ContinuousClock.now - start).microseconds / Double(count)
}
