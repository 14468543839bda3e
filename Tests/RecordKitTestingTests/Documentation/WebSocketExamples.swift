import Foundation
import RecordKit
import RecordKitCurl

// The snippets of the article on WebSockets.

struct PriceFeed: NetworkRequest {
    typealias ValueType = Void

    var path: RequestPath { "prices/live" }
    var headers: HTTPHeaders {
        ["Sec-WebSocket-Protocol": "prices.v2, prices.v1"]
    }
}

func makePriceSession() -> NetworkSession {
    let network = NetworkSession(
        environment: "wss://store.example", transport: CurlTransport())
    return network
}

func readPrices(_ network: NetworkSession) async throws {
    let socket = try await network.webSocket(for: PriceFeed())
    try await socket.send(.text(#"{"subscribe": "LP-0042"}"#))
    for try await message in socket.messages {
        if case .text(let text) = message { print(text) }
    }
}

func askPrice(_ socket: WebSocket<NetworkError>) async throws(NetworkError) {
    try await socket.send(.text(#"{"price": "LP-0042"}"#))
    let reply = try await socket.receive()
    try await socket.ping()
    try await socket.close(code: .normal, reason: "done")
    print(reply as Any)
}

func tellEnd(_ socket: WebSocket<NetworkError>) {
    switch socket.peerClose?.code {
    case .normal, .goingAway: print("The server has nothing more to say.")
    case WebSocketClose.Code(rawValue: 4_001): print("Sign in again.")
    case let code:
        print("The server closed the connection: \(code?.rawValue ?? 0).")
    }
}

func followPrices(_ network: NetworkSession, show: (WebSocketMessage) -> Void) async throws(NetworkError) {
    while true {
        do throws(NetworkError) {
            let socket = try await network.webSocket(for: PriceFeed())
            for try await message in socket.messages { show(message) }
            if socket.peerClose?.code != .restart { return }
        } catch {
            if !error.isTransient { throw error }
        }
        do { try await Task.sleep(for: .seconds(5)) } catch {
            throw NetworkError.cancelled
        }
    }
}
