// A session takes requests of every type, so it doesn't know the type of a case. The guide's first page shows both
// ways.

import Foundation
import RecordKit
import RecordKitCurl

enum Records: NetworkRequest {
    typealias ValueType = String

    case fetch(sku: String)

    var path: RequestPath { "records" }
}

func read(_ network: NetworkSession) async throws(NetworkError) -> [String] {
    let named = try await network.value(for: Records.fetch(sku: "a"))
    let known = try await NetworkManager<Records>(network).value(for: .fetch(sku: "a"))
    let mistake = try await network.value(for: .fetch(sku: "a"))
    return [named, known, mistake]
}

// Without a type, an endpoint has no value. The page on endpoints quotes the warning.
func readWithoutType(_ network: NetworkSession) async throws(NetworkError) -> String {
    let record = try await network.value(for: Endpoint(path: "records"))
    return record
}

// What is often written first. The first two are right.
func firstWords(_ response: NetworkResponse, _ url: String) async throws {
    let network = NetworkSession("https://store.example/v1")
    _ = try await network.value(for: Records.fetch(sku: "a")) { $0.timeout = .seconds(5) }
    _ = NetworkSession(url)
    _ = NetworkSession("https://store.example/v1", timeout: .seconds(5))
    _ = NetworkEnvironment("https://store.example/v1", headers: ["Accept-Language": "en"])
    _ = response.text
    _ = WebSocketMessage.binary(Data())
}
