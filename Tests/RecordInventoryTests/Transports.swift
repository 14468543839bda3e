import RecordKitJSON
import Foundation
import RecordKit
import TestSupport

@testable import RecordInventory

/// Passes changes on to a server, and loses some of the responses, or the requests.
final class LosingTransport: NetworkTransport {
    enum Fault: CaseIterable {
        /// The server makes the change, and the connection breaks.
        case lostResponse
        /// The connection breaks before the server has read the request.
        case lostRequest
        /// Kinto loses its connection to PostgreSQL after the commit.
        case failureAfterCommit
        /// A proxy gives up after the server made the change.
        case gatewayTimeout
    }

    private let transport: any NetworkTransport
    private let faults: Kept<[Fault]>
    private let breaks: @Sendable (NetworkCall) -> Bool
    private let late = Kept<[NetworkCall]>([])

    /// - Parameters:
    ///   - faults: the faults of the next changes, in order. Later changes succeed.
    ///   - breaks: whether another request is lost before the server has read it.
    init(
        _ transport: any NetworkTransport, _ faults: [Fault],
        _ breaks: @escaping @Sendable (NetworkCall) -> Bool = { _ in false }
    ) {
        self.transport = transport
        self.faults = Kept(faults)
        self.breaks = breaks
    }

    /// Passes on the lost requests, as a network may that held them back.
    func deliver() async throws {
        for call in late.change({ $0 }) { _ = try await transport.exchange(call) }
    }

    func exchange(_ call: NetworkCall) async throws(NetworkError) -> NetworkResponse {
        guard case .data(let data)? = call.body?.content,
            String(decoding: data, as: UTF8.self).contains(#""kind":""#),
            let fault = faults.change({ $0.isEmpty ? nil : $0.removeFirst() })
        else {
            if breaks(call) { throw NetworkError.lost }
            return try await transport.exchange(call)
        }
        if fault == .lostRequest {
            late.add(call)
        } else {
            _ = try await transport.exchange(call)
        }
        switch fault {
        case .lostResponse, .lostRequest: throw NetworkError.lost
        case .failureAfterCommit:
            let body = #"{"code":500,"errno":999,"error":"Internal Server Error","message":"oops"}"#
            return NetworkResponse(
                statusCode: 500, headers: ["Content-Type": "application/json"], body: Data(body.utf8), url: call.url)
        case .gatewayTimeout:
            return NetworkResponse(
                statusCode: 504, headers: ["Content-Type": "text/html"], body: Data("<html>".utf8), url: call.url)
        }
    }

}

extension CannedTransport {
    /// Passes all calls on, so that ``calls`` lists them.
    convenience init(over transport: any NetworkTransport) {
        self.init { call throws(NetworkError) in try await transport.exchange(call) }
    }

    /// Lets another program be faster: something happens just before the first call that contains a text in its URL or
    /// body, or before a later one.
    convenience init(
        over transport: any NetworkTransport, before text: String, skipping skipped: Int = 0,
        _ deed: @escaping @Sendable () async -> Void
    ) {
        let left = Kept(skipped + 1)
        self.init { call throws(NetworkError) in
            var sent = call.url.absoluteString
            if case .data(let data)? = call.body?.content { sent += String(decoding: data, as: UTF8.self) }
            let isNow =
                sent.contains(text)
                && left.change { left in
                    left -= 1
                    return left == 0
                }
            if isNow { await deed() }
            return try await transport.exchange(call)
        }
    }
}

extension NetworkConfiguration {
    /// Creates the configuration of an embedded store, over a transport to it.
    init(over transport: any NetworkTransport) {
        self.init(environment: NetworkEnvironment(host: "embedded.invalid", version: "v1"), transport: transport)
    }
}

extension Stock {
    /// The shop of an embedded store, over a transport to it.
    init(over transport: any NetworkTransport) {
        self.init(NetworkConfiguration(over: transport), bucket: "shop")
    }

    /// Reads a record that exists.
    func fetch(_ sku: SKU) async throws(InventoryError) -> StoredRecord {
        try await server.value(for: Get(path: ShopPath.record(sku, in: bucket)))
    }
}

extension NetworkCall {
    /// The paths of a batch that only reads, or `nil` for any other call.
    var reads: [String]? {
        guard method == .post, case .data(let data)? = body?.content,
            let parts = try? JSONValue(stored: Array(data)).object?["requests"]?.array,
            parts.allSatisfy({ $0.object?["method"]?.string == "GET" })
        else { return nil }
        return parts.compactMap { $0.object?["path"]?.string }
    }

    /// Whether the call may change something.
    var isChange: Bool { method != .get && reads == nil }
}
