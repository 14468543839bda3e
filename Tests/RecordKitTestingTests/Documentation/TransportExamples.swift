import Foundation
import RecordKit
import Synchronization

// The snippets of the articles on transports and on observing events.

/// Serves JSON from memory.
struct Catalog: NetworkTransport {
    let records: [String: Data]

    func exchange(
        _ call: NetworkCall
    ) async throws(NetworkError) -> NetworkResponse {
        guard let body = records[call.url.lastPathComponent] else {
            return NetworkResponse(statusCode: 404, url: call.url)
        }
        return NetworkResponse(
            statusCode: 200, headers: ["Content-Type": "application/json"],
            body: body, url: call.url)
    }
}

/// A client that delivers a head, and then its body in chunks.
protocol Connection: Sendable {
    func head() async throws -> (status: Int, headers: HTTPHeaders)
    func receive(
        _ chunk: @escaping @Sendable (Data) -> Void,
        end: @escaping @Sendable ((any Error)?) -> Void)
    func pause()
    func resume()
    func close()
}

struct ConnectionTransport: NetworkTransport {
    let traits = TransportTraits(slots: HostSlots(limit: 4))
    let connect: @Sendable (NetworkCall) async throws -> any Connection

    func exchange(
        _ call: NetworkCall
    ) async throws(NetworkError) -> NetworkResponse {
        do {
            let connection = try await connect(call)
            let head = try await connection.head()
            let (bytes, writer) = NetworkBytes.makeStream(
                onDrained: { connection.resume() },
                onCancel: { connection.close() })
            connection.receive { chunk in
                guard writer.write(chunk) > 1 << 20 else { return }
                connection.pause()
                // The reader may have taken the last chunk before the pause.
                if writer.write(Data()) == 0 { connection.resume() }
            } end: { error in
                writer.finish(
                    throwing: error.map {
                        NetworkError($0, for: call, hasResponse: true)
                    })
            }
            return NetworkResponse(
                statusCode: head.status, headers: head.headers,
                content: .stream(bytes), url: call.url)
        } catch {
            throw Task.isCancelled
                ? .cancelled : NetworkError(error, for: call)
        }
    }
}

struct Arrivals: NetworkInterceptor {
    let report: @Sendable (Int) -> Void

    func intercept(
        _ call: NetworkCall, next: NetworkCall.Next
    ) async throws(NetworkError) -> NetworkResponse {
        var call = call
        call.delivery = .streamed
        var response = try await next(call)
        guard let stream = response.stream else { return response }
        var body = Data()
        var chunks = stream.makeAsyncIterator()
        while let chunk = try await chunks.next() {
            body += chunk
            report(body.count)
        }
        response.body = body
        return response
    }
}

/// Counts exchanges, and returns the data tasks of URLSession.
final class CountingTransport: NetworkTransport {
    let count = Atomic<Int>(0)
    let inner = URLSessionTransport()

    var traits: TransportTraits { inner.traits }

    func exchange(
        _ call: NetworkCall
    ) async throws(NetworkError) -> NetworkResponse {
        count.add(1, ordering: .relaxed)
        return try await inner.exchange(call)
    }
}

/// Counts events by their kind.
final class EventCounter: NetworkObserver {
    private let counts = Mutex<[NetworkEvent.Kind: Int]>([:])

    func observe(_ event: NetworkEvent, of call: NetworkCall) {
        counts.withLock { $0[event.kind, default: 0] += 1 }
    }

    func count(of kind: NetworkEvent.Kind) -> Int {
        counts.withLock { $0[kind, default: 0] }
    }
}

extension NetworkEvent.Kind {
    static let printer = NetworkEvent.Kind(rawValue: "printer")
}

struct PrinterQueue: NetworkInterceptor {
    func intercept(
        _ call: NetworkCall, next: NetworkCall.Next
    ) async throws(NetworkError) -> NetworkResponse {
        let start = call.clock.now()
        try await call.sleep(for: .seconds(1))
        call.report(.printer, since: start, detail: "waited for the printer")
        return try await next(call)
    }
}

func reportsArrivals(in configuration: inout NetworkConfiguration) {
    configuration.interceptors = [Arrivals { count in print("\(count) bytes") }]
}
