import Foundation
import RecordKit
import RecordKitCurl
import RecordKitJSON

/// JSON with Foundation's coders, and with those of RecordKitJSON.
extension Workload {
    static let jsonDecode = Workload(
        name: "json-decode", title: "record of 1 KB, decoded", count: 5_000, quickCount: 20, instructionCount: 500
    ) {
        let json = Release.sample.json
        return decoders.map { name, decoder in
            Client(name, isReference: name == reference) {
                if try decoder().decode(Release.self, from: json).tracks.count != 8 { throw WrongAnswer("no tracks") }
            }
        }
    }

    static let jsonEncode = Workload(
        name: "json-encode", title: "record of 1 KB, encoded", count: 5_000, quickCount: 20, instructionCount: 500
    ) {
        encoders.map { name, encoder in
            Client(name, isReference: name == reference) {
                if try encoder().encode(Release.sample).count < 900 { throw WrongAnswer("no record") }
            }
        }
    }

    static let jsonGet = Workload(
        name: "json-get", title: "GET of a record of 1 KB from nginx over libcurl, decoded", count: 3_000,
        quickCount: 20, instructionCount: 1_000
    ) {
        try await clients(decoders) { network, decoder in
            let fetch = Endpoint<Release, NetworkError>(path: "records/release", decoder: decoder())
            return { if try await network.value(for: fetch).tracks.count != 8 { throw WrongAnswer("no tracks") } }
        }
    }

    static let jsonPost = Workload(
        name: "json-post", title: "POST of a record of 1 KB to nginx over libcurl, encoded", count: 3_000,
        quickCount: 20, instructionCount: 1_000
    ) {
        try await clients(encoders) { network, encoder in
            let create = Endpoint<Void, NetworkError>(.post, path: "uploads", body: Release.sample, encoder: encoder())
            return { try await network.value(for: create) }
        }
    }

    static let jsonList = Workload(
        name: "json-list", title: "array of 20 MB with 20,000 records, decoded", unit: "ms", count: 1, quickCount: 0
    ) {
        let json = try JSONEncoder().encode(Array(repeating: Release.sample, count: 20_000))
        return decoders.map { name, decoder in
            Client(name, isReference: name == reference) { count in
                let start = ContinuousClock.now
                for _ in 0..<count {
                    if try decoder().decode([Release].self, from: json).count != 20_000 { throw WrongAnswer("no list") }
                }
                return (ContinuousClock.now - start).microseconds / 1_000 / Double(count)
            }
        }
    }

    private static let reference = "Foundation"

    private static let decoders: [(String, @Sendable () -> any NetworkDecoder & Sendable)] = [
        (reference, { JSONDecoder() }), ("RecordKitJSON", { JSONReader() }),
    ]

    private static let encoders: [(String, @Sendable () -> any NetworkEncoder & Sendable)] = [
        (reference, { JSONEncoder() }), ("RecordKitJSON", { JSONWriter() }),
    ]

    /// Returns a client for each coder. All send their requests to the same nginx.
    private static func clients<Coder>(
        _ coders: [(String, Coder)], _ call: (NetworkSession, Coder) -> @Sendable () async throws -> Void
    ) async throws -> [Client] {
        let server = try await Server()
        return coders.map { name, coder in
            var client = Client(
                name, isReference: name == reference, holding: server.nginx, operation: call(server.network, coder))
            client.environment = server.environment
            return client
        }
    }

    /// nginx, or that of the parent process: valgrind runs no other program.
    private struct Server {
        let nginx: NginxServer?
        let url: URL
        private static let variable = "BENCHMARK_NGINX"

        init() async throws {
            if let url = ProcessInfo.processInfo.environment[Self.variable].flatMap({ URL(string: $0) }) {
                (nginx, self.url) = (nil, url)
            } else {
                let nginx = try await NginxServer()
                (self.nginx, url) = (nginx, nginx.url)
            }
        }

        var environment: [String: String] { [Self.variable: url.absoluteString] }

        var network: NetworkSession {
            NetworkSession(
                NetworkConfiguration(environment: NetworkEnvironment(url), transport: CurlTransport()))
        }
    }
}
