import Foundation
import RecordKit
import RecordKitStreaming

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension Workload {
    static let elements = Workload(
        name: "elements", title: "array of 20 MB with 100,000 objects from nginx, read one by one", unit: "ms",
        count: 1, quickCount: 1
    ) {
        try await ElementClient.all { client, _ in
            let start = ContinuousClock.now
            guard try await client.read({ _ in true }) == ElementClient.count else {
                throw WrongAnswer("not all elements")
            }
            return (ContinuousClock.now - start).microseconds / 1_000
        }
    }

    static let firstElement = Workload(
        name: "elements-first", title: "the first object of the same array, from the start of the call", unit: "ms",
        count: 1, quickCount: 1
    ) {
        try await ElementClient.all { client, _ in
            let start = ContinuousClock.now
            guard try await client.read({ _ in false }) == 1 else { throw WrongAnswer("no element") }
            return (ContinuousClock.now - start).microseconds / 1_000
        }
    }

    /// The peak of a new process, above what it had before its call.
    static let elementMemory = Workload(
        name: "elements-memory", title: "memory that reading the same array needs, at its peak", unit: "MB", count: 1,
        quickCount: 1, rounds: 3
    ) {
        if let server = ProcessInfo.processInfo.environment[ElementClient.server], let url = URL(string: server) {
            return ElementClient.clients(url).map { client in
                Client(client.name) { _ in
                    let idle = try memory("VmRSS:")
                    _ = try await client.read { _ in true }
                    print(try memory("VmHWM:") - idle)
                    return 0
                }
            }
        }
        let program = URL(filePath: CommandLine.arguments[0])
        return try await ElementClient.all { client, url in
            let arguments = ["--run", client.name, "--count", "1", "elements-memory"]
            let output = try Command.run(program, arguments, environment: [ElementClient.server: url.absoluteString])
            guard let kilobytes = Double(String(decoding: output, as: UTF8.self).dropLast()) else {
                throw WrongAnswer("no figure")
            }
            return kilobytes / 1_024
        }
    }

    /// Returns a figure of this process, in KB.
    private static func memory(_ name: String) throws -> Int {
        let text = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix(name) }
        guard let number = line?.split(whereSeparator: { !$0.isNumber }).first.flatMap({ Int($0) }) else {
            throw MissingTool("/proc/self/status", "this is measured on Linux alone")
        }
        return number
    }
}

/// Reads a long list, with URLSession or with RecordKit.
private struct ElementClient: Sendable {
    static let count = 100_000
    /// The environment variable with the address of the server of the parent process.
    static let server = "BENCHMARK_SERVER"

    struct Entry: Codable, Sendable {
        var sku, artist, title, condition, currency, shelf: String
        var year, quantity: Int
        var price: Double
        var isSold: Bool
    }

    private enum Entries: NetworkRequest {
        typealias ValueType = [Entry]
        typealias ErrorType = NetworkError

        case all

        var path: RequestPath { "records/all" }
    }

    let name: String
    /// Reads elements while the closure returns `true`, and returns their number.
    let read: @Sendable (_ goesOn: (Entry) -> Bool) async throws -> Int

    static func clients(_ url: URL) -> [ElementClient] {
        let list = url.appending(path: "records/all")
        let session = URLSession(configuration: .ours())
        let network = NetworkSession(
            NetworkConfiguration(
                environment: NetworkEnvironment(url.absoluteString), transport: URLSessionTransport(.ours())))
        return [
            ElementClient(name: "raw-ours") { goesOn in
                let (data, response) = try await session.data(from: list)
                let entries = try JSONDecoder().decode([Entry].self, from: data.ofSuccess(response))
                return (entries.firstIndex { !goesOn($0) } ?? entries.count - 1) + 1
            },
            ElementClient(name: "RecordKit") { goesOn in
                var count = 0
                for try await entry in NetworkManager(network).elements(for: Entries.all) {
                    count += 1
                    if !goesOn(entry) { break }
                }
                return count
            },
        ]
    }

    static func all(
        _ turn: @escaping @Sendable (ElementClient, URL) async throws -> Double
    ) async throws -> [Client] {
        let server = try await NginxServer(list: json)
        return clients(server.url).map { client in
            Client(client.name, isReference: client.name != "RecordKit", holding: server) { _ in
                try await turn(client, server.url)
            }
        }
    }

    private static var json: Data {
        var text = "["
        for number in 0..<count {
            text += number == 0 ? "" : ","
            text += #"{"sku":"LP-\#(100_000 + number)","artist":"The Northern Lights \#(number % 977)","#
            text += #""title":"Midwinter Sessions, Volume \#(number)","condition":"VG+","currency":"EUR","#
            text += #""shelf":"A-\#(number % 40)","year":\#(1950 + number % 70),"quantity":\#(number % 4),"#
            text += #""price":\#(number % 60).25,"isSold":\#(number % 2 == 0)}"#
        }
        return Data((text + "]").utf8)
    }
}
