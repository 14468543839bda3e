import Foundation
import RecordKit
import Synchronization

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
    private let faults: Mutex<[Fault]>
    private let late = Mutex<[NetworkCall]>([])

    /// - Parameter faults: the faults of the next changes, in order. Later changes succeed.
    init(_ transport: any NetworkTransport, _ faults: [Fault]) {
        self.transport = transport
        self.faults = Mutex(faults)
    }

    /// Passes on the lost requests, as a network may that held them back.
    func deliver() async throws {
        for call in late.withLock({ $0 }) { _ = try await transport.exchange(call) }
    }

    func exchange(_ call: NetworkCall) async throws(NetworkError) -> NetworkResponse {
        guard case .data(let data)? = call.body?.content,
            String(decoding: data, as: UTF8.self).contains(#""kind":""#),
            let fault = faults.withLock({ $0.isEmpty ? nil : $0.removeFirst() })
        else { return try await transport.exchange(call) }
        if fault == .lostRequest {
            late.withLock { $0.append(call) }
        } else {
            _ = try await transport.exchange(call)
        }
        switch fault {
        case .lostResponse, .lostRequest:
            throw .connection(
                NetworkError.ConnectionFailure(
                    kind: .lost, host: call.url.host() ?? "", mayHaveReachedServer: true,
                    cause: URLError(.networkConnectionLost)))
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
