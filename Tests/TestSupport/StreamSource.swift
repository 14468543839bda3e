import Foundation
public import RecordKit
import RecordKitCurl
public import RecordKitTesting
import Synchronization

/// A server, or a transport without a network, whose response body a test sends chunk by chunk.
public struct StreamSource: Sendable {
    public let name: String
    /// Sends streamed calls to the source.
    public let network: NetworkSession
    public let send: @Sendable (Int) -> Void
    public let finish: @Sendable () -> Void
    /// Returns once the source has noticed that its transfer has ended.
    public let isAbandoned: @Sendable () async throws -> Void

    /// Returns a source over URLSession, one over libcurl and one without a network. Each has three chunks, `chunk 0`
    /// to
    /// `chunk 2`.
    public static func all(_ clock: ManualClock, options: RequestOptions = RequestOptions()) throws -> [StreamSource] {
        var curl = CurlTransport.Options()
        curl.exchangesPerHost = 1
        return [
            try server("URLSession", URLSessionTransport(exchangesPerHost: 1), clock, options),
            try server("libcurl", CurlTransport(curl), clock, options), inProcess(clock, options),
        ]
    }

    private static func server(
        _ name: String, _ transport: any NetworkTransport, _ clock: ManualClock, _ options: RequestOptions
    ) throws -> StreamSource {
        let gates = (0...3).map { _ in ResponseGate() }
        let head = StubResponse.Step.head(200, headers: ["Transfer-Encoding": "chunked"])
        let chunks = (0..<3).flatMap { [StubResponse.Step.wait(gates[$0]), .chunk(Data("chunk \($0)".utf8))] }
        let body = StubResponse([head] + chunks + [.wait(gates[3]), .lastChunk])
        let server = try LoopbackServer { $0.path == "/moved" ? .redirect(to: "/ask") : body }
        var network = NetworkConfiguration(
            environment: NetworkEnvironment(server.url.absoluteString),
            transport: transport, interceptors: [Changing { $0.delivery = .streamed }])
        network.clock = clock.networkClock
        network.options = options
        return StreamSource(
            name: name, network: NetworkSession(network), send: { gates[$0].open() }, finish: { gates[3].open() },
            isAbandoned: { try await server.waitForDisconnection(of: 0) })
    }

    private static func inProcess(_ clock: ManualClock, _ options: RequestOptions) -> StreamSource {
        let transport = PushTransport()
        let network = NetworkConfiguration(
            transport, [Changing { $0.delivery = .streamed }], clock: clock, options: options)
        return StreamSource(
            name: "in process", network: NetworkSession(network),
            send: { number in transport.write("chunk \(number)") }, finish: { transport.finish() },
            isAbandoned: { try await transport.wasCancelled.wait() })
    }
}

/// A transport whose response is a stream that the test writes.
private final class PushTransport: NetworkTransport {
    let traits = TransportTraits(slots: HostSlots(limit: 1))
    let wasCancelled = ResponseGate()
    private let writer = Mutex<NetworkBytes.Writer?>(nil)
    private let pending = Mutex<[String]>([])

    func exchange(_ call: NetworkCall) async throws(NetworkError) -> NetworkResponse {
        if call.url.path == "/moved" {
            return NetworkResponse(statusCode: 302, headers: ["Location": "/ask"], url: call.url)
        }
        let (bytes, writer) = NetworkBytes.makeStream { [wasCancelled] in wasCancelled.open() }
        self.writer.withLock { $0 = writer }
        for text in pending.withLock({ $0 }) { writer.write(Data(text.utf8)) }
        return NetworkResponse(statusCode: 200, content: .stream(bytes), url: call.url)
    }

    func write(_ text: String) {
        guard let writer = writer.withLock({ $0 }) else { return pending.withLock { $0.append(text) } }
        writer.write(Data(text.utf8))
    }

    func finish() { writer.withLock { $0 }?.finish() }
}
