import RecordKit
import RecordKitInterceptors
import RecordKitOAuth
import RecordKitTesting
import TestSupport
import XCTest

/// An authorization server that sends scripted responses, the last one repeatedly.
struct ScriptedServer {
    static let endpoints = OAuthServer(
        tokenURL: "https://id.example/token", authorizationURL: "https://id.example/authorize",
        deviceAuthorizationURL: "https://id.example/device", revocationURL: "https://id.example/revoke",
        issuer: "https://id.example")

    let clock = ManualClock(advancesItself: true)
    let transport: CannedTransport
    let session: NetworkSession

    init(_ first: CannedTransport.Turn, _ others: CannedTransport.Turn...) {
        self.init([first] + others)
    }

    init(_ turns: [CannedTransport.Turn]) {
        let left = Kept(turns[...])
        transport = CannedTransport { call throws(NetworkError) in
            switch left.change({ $0.count > 1 ? $0.removeFirst() : $0[$0.startIndex] }) {
            case .answer(let status, var headers, let body):
                if headers["Content-Type"] == nil { headers["Content-Type"] = "application/json" }
                return NetworkResponse(statusCode: status, headers: headers, body: Data(body.utf8), url: call.url)
            case .fail(let error): throw error
            }
        }
        session = NetworkSession(NetworkConfiguration(transport: transport, clock: clock.networkClock))
    }

    func client(
        _ authentication: OAuthClient.Authentication = .none, at server: OAuthServer = endpoints,
        scopes: [String] = [], parameters: RequestQuery = [:]
    ) -> OAuthClient {
        OAuthClient("till-7", authentication, at: server, scopes: scopes, parameters: parameters, network: session)
    }

    /// The forms that were sent, each as its encoded fields in order.
    var forms: [String] {
        get async throws {
            var forms: [String] = []
            for call in transport.calls { forms.append(try await call.form) }
            return forms
        }
    }
}

extension NetworkCall {
    var form: String {
        get async throws { String(decoding: try await body?.data() ?? Data(), as: UTF8.self) }
    }
}

extension TokenSource {
    /// Returns the result of a call that is signed with the token of the source.
    func call(_ transport: CannedTransport, clock: ManualClock) async -> Result<NetworkResponse, NetworkError> {
        let network = NetworkConfiguration(
            transport, [AuthorizationInterceptor(self, for: "https://store.example")], clock: clock)
        return await NetworkSession(network).outcome(of: Ask())
    }
}
