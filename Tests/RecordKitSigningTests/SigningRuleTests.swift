import RecordKit
import RecordKitCurl
import RecordKitInterceptors
import RecordKitSigning
import RecordKitTesting
import TestSupport
import XCTest

/// The rules that all signing interceptors share.
final class SigningRuleTests: TimedTestCase {
    private func interceptors(for url: URL) -> [any NetworkInterceptor] {
        let scope = CredentialScope.origin(url.absoluteString)
        let signature = MessageSignature(key: Data("s3cret".utf8), keyID: "k", covering: [.method])
        return [
            AWSInterceptor(
                AWSCredentials(accessKeyID: "a", secretKey: "s3cret"), service: "s3", region: "r", for: scope),
            OAuth1Interceptor(OAuth1Client(key: "k", secret: "s3cret"), nil, for: scope),
            MessageSignatureInterceptor(signature, for: scope),
            DigestInterceptor(user: "u", password: "s3cret", for: scope),
        ]
    }

    private func isSigned(_ request: LoopbackRequest) -> Bool {
        request.header("Authorization") != nil || request.header("Signature") != nil
    }

    /// A redirect is refused, to this origin and to any other, and never gets a signature.
    func testARedirectIsRefused() async throws {
        for transport in transports() {
            let other = try LoopbackServer(responses: [.status(200)])
            let server = try LoopbackServer { request in
                if request.path == "/here" { return .status(200) }
                if request.header("Authorization") == nil, request.header("Signature") == nil {
                    return .status(401, headers: ["WWW-Authenticate": "Digest realm=r, nonce=n"])
                }
                return .redirect(to: request.path == "/near" ? "/here?secret=1" : "\(other.url)/x", status: 307)
            }
            for interceptor in interceptors(for: server.url) {
                for (path, target) in [("near", "\(server.url)/here"), ("far", "\(other.url)/x")] {
                    func network(_ policy: RedirectPolicy) -> NetworkSession {
                        NetworkSession(
                            NetworkConfiguration(
                                environment: NetworkEnvironment(server.url.absoluteString), transport: transport,
                                interceptors: [interceptor], options: RequestOptions(redirects: policy)))
                    }
                    let ask = Ask<Data>(path: "\(path)")
                    let outcome = await network(.follow()).outcome(of: ask)
                    guard case .failure(.redirectRefused(let refusal)) = outcome else {
                        return XCTFail("\(interceptor): \(outcome)")
                    }
                    XCTAssertEqual(refusal.reason, .signed)
                    XCTAssertEqual(refusal.location, target)
                    XCTAssertEqual(refusal.response.statusCode, 307)
                    assertEqual(await network(.never).status(of: ask), 307)
                }
            }
            XCTAssertEqual(other.requests.count, 0)
            XCTAssertFalse(server.requests.contains { $0.path == "/here" })
        }
    }

    func testOtherOriginsAndSignedCallsAreLeftAlone() async throws {
        let server = try LoopbackServer { request in
            .status(401, headers: ["WWW-Authenticate": "Digest realm=r, nonce=n"])
        }
        let elsewhere = URL(string: "https://store.example") ?? server.url
        for interceptor in interceptors(for: elsewhere) {
            _ = await NetworkSession(NetworkConfiguration(server.url, interceptors: [interceptor])).status()
        }
        XCTAssertEqual(server.requests.map { isSigned($0) }, [false, false, false, false])
        for interceptor in interceptors(for: server.url) {
            let own: HTTPHeaders = ["Authorization": "Own x", "Signature": "own"]
            let network = NetworkSession(NetworkConfiguration(server.url, interceptors: [interceptor]))
            _ = await network.status(of: Ask(headers: own))
        }
        XCTAssertEqual(
            server.requests.dropFirst(4).map { $0.header("Authorization") }, ["Own x", "Own x", "Own x", "Own x"])
        XCTAssertEqual(server.requests.dropFirst(4).map { $0.header("Signature") }, ["own", "own", "own", "own"])
        let transport = CannedTransport()
        for interceptor in interceptors(for: URL(filePath: "/")) {
            let network = NetworkSession(NetworkConfiguration(transport, [interceptor], clock: ManualClock()))
            let outcome = await network.outcome(of: Ask())
            guard case .failure(.interceptor(let failure)) = outcome else { return XCTFail("\(outcome)") }
            XCTAssertTrue(failure.reason.contains("isn't an origin"))
        }
        XCTAssertEqual(transport.calls.count, 0)
    }

    /// Each attempt has a signature of its own, which is in no log.
    func testEachAttemptIsSigned() async throws {
        for interceptor in interceptors(for: URL(string: "https://store.example") ?? URL(filePath: "/")) {
            let unavailable = CannedTransport.Turn.answer(503)
            let challenge = CannedTransport.Turn.answer(401, ["WWW-Authenticate": "Digest realm=r, nonce=n, qop=auth"])
            let transport = CannedTransport(challenge, unavailable, unavailable, .answer(200))
            let clock = ManualClock(advancesItself: true)
            let log = LogBook()
            let network = NetworkSession(
                NetworkConfiguration(
                    transport, [RetryInterceptor(), interceptor, LoggingInterceptor(to: log, level: .trace)],
                    clock: clock))
            _ = await network.status()
            if transport.calls.count > 1 { _ = await network.status() }
            let signatures = transport.calls.compactMap { $0.headers["Authorization"] ?? $0.headers["Signature"] }
            XCTAssertGreaterThanOrEqual(signatures.count, transport.calls.count - 1)
            if interceptor is DigestInterceptor || interceptor is OAuth1Interceptor {
                XCTAssertEqual(Set(signatures).count, signatures.count)
            }
            for secret in signatures.map({ String($0.suffix(20)) }) + ["s3cret"] {
                XCTAssertFalse(log.messages.joined().contains(secret), secret)
            }
        }
    }
}
