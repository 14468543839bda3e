import Foundation
import RecordKit
import Synchronization

@testable import RecordInventory

/// Simulates another client that is faster: runs `deed` before a request with the string in its URL or body, which is the
/// first one after those that are skipped.
final class OvertakenTransport: NetworkTransport {
    private let transport: EmbeddedTransport
    private let text: String
    private let state: Mutex<(skipped: Int, deed: (@Sendable () async -> Void)?)>

    init(
        _ transport: EmbeddedTransport, before text: String, skipping skipped: Int = 0,
        _ deed: @escaping @Sendable () async -> Void
    ) {
        self.transport = transport
        self.text = text
        state = Mutex((skipped, deed))
    }

    func exchange(_ call: NetworkCall) async throws(NetworkError) -> NetworkResponse {
        var sent = call.url.absoluteString
        if case .data(let data)? = call.body?.content { sent += String(decoding: data, as: UTF8.self) }
        if sent.contains(text) {
            let deed = state.withLock { state -> (@Sendable () async -> Void)? in
                state.skipped -= 1
                return state.skipped < 0 ? state.deed.take() : nil
            }
            await deed?()
        }
        return try await transport.exchange(call)
    }
}

extension Stock {
    /// The shop of an embedded store, over a transport to it.
    init(over transport: any NetworkTransport) {
        self.init(
            NetworkConfiguration(
                environment: NetworkEnvironment(host: "embedded.invalid", version: "v1"), transport: transport),
            bucket: "shop")
    }
}
