import Foundation
import RecordKit
import RecordKitStreaming

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension Workload {
    static let lines = Workload(
        name: "lines", title: "20 MB from nginx in lines of 100 bytes, read as they arrive", unit: "ms", count: 1,
        quickCount: 1
    ) {
        let count = 200_000
        let line = String(repeating: "plays well ", count: 9)
        let server = try await NginxServer(list: Data(String(repeating: line + "\n", count: count).utf8))
        let url = server.url.appending(path: "records/all")
        let client = StreamClient(.ours())
        let network = NetworkSession(NetworkConfiguration(environment: NetworkEnvironment(server.url.absoluteString)))
        return [
            Client("delegate-ours", isReference: true, holding: server) { turns in
                try await milliseconds(turns) {
                    var read = 0
                    for try await line in client.lines(url) where !line.isEmpty { read += 1 }
                    if read != count { throw WrongAnswer("\(read) lines") }
                }
            },
            Client("RecordKit", holding: server) { turns in
                try await milliseconds(turns) {
                    var read = 0
                    for try await line in NetworkManager(network).lines(for: StreamedRecords.all) where !line.isEmpty {
                        read += 1
                    }
                    if read != count { throw WrongAnswer("\(read) lines") }
                }
            },
        ]
    }

    static let events = Workload(
        name: "events", title: "20 MB from nginx in events of 100 bytes, read as they arrive", unit: "ms", count: 1,
        quickCount: 1
    ) {
        let count = 200_000
        let event = "id: 7\ndata: " + String(repeating: "plays well ", count: 8) + "\n\n"
        let server = try await NginxServer(list: Data(String(repeating: event, count: count).utf8))
        let url = server.url.appending(path: "records/events")
        let client = StreamClient(.ours())
        let network = NetworkSession(NetworkConfiguration(environment: NetworkEnvironment(server.url.absoluteString)))
        return [
            Client("delegate-ours", isReference: true, holding: server) { turns in
                try await milliseconds(turns) {
                    let read = try await client.countEvents(url)
                    if read != count { throw WrongAnswer("\(read) events") }
                }
            },
            Client("RecordKit", holding: server) { turns in
                try await milliseconds(turns) {
                    var read = 0
                    for try await event in NetworkManager(network).events(
                        for: StreamedRecords.events, reconnect: .never)
                    where !event.data.isEmpty { read += 1 }
                    if read != count { throw WrongAnswer("\(read) events") }
                }
            },
        ]
    }

    private static func milliseconds(_ turns: Int, _ work: () async throws -> Void) async throws -> Double {
        let start = ContinuousClock.now
        for _ in 0..<turns { try await work() }
        return (ContinuousClock.now - start).microseconds / 1_000 / Double(turns)
    }
}

private enum StreamedRecords: NetworkRequest {
    typealias ValueType = Void

    case all
    case events

    var path: RequestPath { self == .all ? "records/all" : "records/events" }
}
