import Foundation
import RecordKit
import RecordKitCurl
import RecordKitTesting
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// RecordKit on libcurl, URLSession, and the `curl` program as the limit of what libcurl can do.
extension Workload {
    static let curlSequential = Workload(
        name: "curl-sequential", title: "GET of 1 KB from nginx, one after the other", count: 3_000
    ) {
        let server = try await NginxServer()
        return fetchers(server).map { fetcher in
            Client(fetcher.name, isReference: fetcher.name == "raw", holding: server, operation: fetcher.fetch)
        }
    }

    static let curlConcurrent = Workload(
        name: "curl-concurrent", title: "GET of 1 KB from nginx, 64 at once", count: 19_200, quickCount: 64
    ) {
        let server = try await NginxServer()
        let fetchers = fetchers(server).map { fetcher in
            Client(fetcher.name, isReference: fetcher.name == "raw", holding: server) { count in
                let start = ContinuousClock.now
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<64 {
                        group.addTask { for _ in 0..<(count / 64) { try await fetcher.fetch() } }
                    }
                    try await group.waitForAll()
                }
                return (ContinuousClock.now - start).microseconds / Double(count / 64 * 64)
            }
        }
        let program = Client("the curl program", holding: server) { count in
            let start = ContinuousClock.now
            try Command.run(
                "curl",
                ["-s", "-Z", "--parallel-max", "64", "-o", "/dev/null", "\(record(server))?[1-\(count)]"])
            return (ContinuousClock.now - start).microseconds / Double(count)
        }
        return fetchers + [program]
    }

    static let curlDown = Workload(
        name: "curl-down", title: "GET of 1 GB from nginx, read as a stream", unit: "ms", count: 1_024, quickCount: 8
    ) {
        let server = try await NginxServer(zeros: 1 << 30)
        return [
            Client("the curl program", isReference: true, holding: server) { megabytes in
                try milliseconds {
                    try Command.run("curl", ["-s", "-o", "/dev/null", "-r", range(megabytes), "\(zeros(server))"])
                }
            },
            Client("libcurl") { megabytes in try await milliseconds { try await read(megabytes, from: server) } },
        ]
    }

    static let curlUp = Workload(
        name: "curl-up", title: "POST of 1 GB from a file to nginx", unit: "ms", count: 1_024, quickCount: 8
    ) {
        let server = try await NginxServer()
        return [
            Client("the curl program", isReference: true, holding: server) { megabytes in
                let file = try TemporaryFile(length: megabytes << 20)
                return try milliseconds {
                    try Command.run(
                        "curl",
                        ["-s", "-X", "POST", "-T", file.url.path, server.url.appending(path: "uploads").absoluteString])
                }
            },
            Client("libcurl") { megabytes in
                let file = try TemporaryFile(length: megabytes << 20)
                return try await milliseconds { try await send(file, to: server) }
            },
        ]
    }

    /// The peak is that of the whole process, so this workload is run alone.
    static let curlPeak = Workload(
        name: "curl-peak", title: "resident memory at its peak, with 1 GB down or up", unit: "MB", isCompared: false,
        count: 1_024, quickCount: 8, rounds: 1
    ) {
        let server = try await NginxServer(zeros: 1 << 30)
        return [
            Client("down", holding: server) { megabytes in
                try resetPeak()
                try await read(megabytes, from: server)
                return try peakMegabytes()
            },
            Client("up") { megabytes in
                let file = try TemporaryFile(length: megabytes << 20)
                try resetPeak()
                try await send(file, to: server)
                return try peakMegabytes()
            },
        ]
    }

    static let curlMemory = Workload(
        name: "curl-memory", title: "growth of the process with each GET of 1 KB from nginx", unit: "bytes",
        isCompared: false, count: 100_000, quickCount: 20, rounds: 1
    ) {
        let server = try await NginxServer()
        return fetchers(server).filter { $0.name != "raw" }.map { fetcher in
            Client(fetcher.name, holding: server) { count in
                let before = try statusNumber("VmRSS:")
                for _ in 0..<count { try await fetcher.fetch() }
                return Double(try statusNumber("VmRSS:") - before) * 1_024 / Double(count)
            }
        }
    }

    static let curlWait = Workload(
        name: "curl-wait", title: "processor time of a call that waits for 10 s", unit: "ms", isCompared: false,
        count: 10_000, quickCount: 100, rounds: 1
    ) {
        let wait = Mutexed(Duration.zero)
        let server = try LoopbackServer { _ in .text("x").after(.delay(wait.value)) }
        return fetchers(server.url, server).map { fetcher in
            Client(fetcher.name, holding: server) { milliseconds in
                wait.value = .milliseconds(milliseconds)
                let before = clock()
                try await fetcher.fetch()
                return Double(clock() - before) / Double(CLOCKS_PER_SEC) * 1_000
            }
        }
    }
}

/// A client that fetches 1 KB and reads it as data.
private struct Fetcher: Sendable {
    let name: String
    let fetch: @Sendable () async throws -> Void
}

private enum Records: NetworkRequest {
    typealias ValueType = Data
    typealias ErrorType = NetworkError

    case one
    case upload(URL)

    var path: RequestPath {
        switch self {
        case .one: "records/LP-0042"
        case .upload: "uploads"
        }
    }

    var method: HTTPMethod { if case .upload = self { .post } else { .get } }

    var body: (any NetworkEncodable)? { if case .upload(let file) = self { FileBody(file) } else { nil } }
}

private func fetchers(_ server: NginxServer) -> [Fetcher] { fetchers(server.url, server) }

private func fetchers(_ url: URL, _ server: any Sendable) -> [Fetcher] {
    let record = url.appending(path: "records/LP-0042")
    let session = URLSession(configuration: .default)
    let transport = CurlTransport()
    let network = network(url, transport)
    return [
        Fetcher(name: "raw") {
            let (data, response) = try await session.data(from: record)
            _ = try data.ofSuccess(response)
            withExtendedLifetime(server) {}
        },
        Fetcher(name: "libcurl") {
            if try await network.value(for: Records.one).isEmpty { throw WrongAnswer("no body") }
        },
        Fetcher(name: "libcurl, transport alone") {
            if try await transport.exchange(NetworkCall(url: record)).body.isEmpty { throw WrongAnswer("no body") }
        },
    ]
}

private func network(_ url: URL, _ transport: CurlTransport) -> NetworkSession {
    NetworkSession(NetworkConfiguration(environment: NetworkEnvironment(url), transport: transport))
}

private func read(_ megabytes: Int, from server: NginxServer) async throws {
    let network = network(server.url, CurlTransport())
    var length = 0
    let reply = try await network.value(for: Zeros(megabytes: megabytes)) { $0.delivery = .streamed }
    guard let stream = reply.stream else { throw WrongAnswer("no stream") }
    for try await chunk in stream { length += chunk.count }
    if length != megabytes << 20 { throw WrongAnswer("\(length) bytes") }
}

private struct Zeros: NetworkRequest {
    typealias ValueType = NetworkResponse
    typealias ErrorType = NetworkError

    let megabytes: Int
    var path: RequestPath { "zeros" }
    var headers: HTTPHeaders { ["Range": "bytes=\(range(megabytes))"] }
}

private func send(_ file: TemporaryFile, to server: NginxServer) async throws {
    _ = try await network(server.url, CurlTransport()).value(for: Records.upload(file.url))
}

private func range(_ megabytes: Int) -> String { "0-\(megabytes << 20 - 1)" }
private func record(_ server: NginxServer) -> String { server.url.appending(path: "records/LP-0042").absoluteString }
private func zeros(_ server: NginxServer) -> String { server.url.appending(path: "zeros").absoluteString }

private func milliseconds(_ work: () async throws -> Void) async rethrows -> Double {
    let start = ContinuousClock.now
    try await work()
    return (ContinuousClock.now - start).microseconds / 1_000
}

private func milliseconds(_ work: () throws -> Void) rethrows -> Double {
    let start = ContinuousClock.now
    try work()
    return (ContinuousClock.now - start).microseconds / 1_000
}

/// Has the system count the peak of the resident memory from now on.
private func resetPeak() throws {
    guard let handle = FileHandle(forWritingAtPath: "/proc/self/clear_refs") else {
        throw MissingTool("/proc/self/clear_refs", "this is measured on Linux alone")
    }
    try handle.write(contentsOf: Data("5".utf8))
}

private func peakMegabytes() throws -> Double { Double(try statusNumber("VmHWM:")) / 1_024 }

/// Returns a number from the status of the process, in KB.
func statusNumber(_ name: String) throws -> Int {
    guard let text = try? FileHandle(forReadingAtPath: "/proc/self/status")?.readToEnd() else {
        throw MissingTool("/proc/self/status", "this is measured on Linux alone")
    }
    let line = String(decoding: text, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix(name) }
    guard let number = line?.split(whereSeparator: { !$0.isNumber }).first.flatMap({ Int($0) }) else {
        throw WrongAnswer("no \(name)")
    }
    return number
}

/// A value that several threads share.
private final class Mutexed<Value: Sendable>: Sendable {
    private let state: Mutex<Value>

    init(_ value: Value) {
        state = Mutex(value)
    }

    var value: Value {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}
