import RecordKit
import RecordKitDigest
import RecordKitInterceptors
import RecordKitSigning
import RecordKitTesting
import TestSupport
import XCTest

/// Each signer signs each attempt as it is sent, wherever it stands.
final class SigningOrderTests: TimedTestCase {
    private let scope: CredentialScope = "https://store.example"

    /// - Parameter component: A field that another interceptor sets.
    private func signers(_ component: MessageSignature.Component = .method) -> [any NetworkInterceptor] {
        let credentials = AWSCredentials(accessKeyID: "a", secretKey: "s")
        let signature = MessageSignature(
            key: Data("s".utf8), keyID: "k", covering: [.targetURI, component], hasNonce: true)
        return [
            AWSInterceptor(credentials, service: "s3", region: "r", for: scope),
            AWSInterceptor(credentials, service: "execute-api", region: "r", for: scope),
            OAuth1Interceptor(OAuth1Client(key: "k", secret: "s"), nil, for: scope),
            MessageSignatureInterceptor(signature, for: scope),
            DigestInterceptor(user: "u", password: "p", for: scope),
        ]
    }

    private var retry: RetryInterceptor { RetryInterceptor(backoff: Backoff(shortestWait: .seconds(1)), budget: nil) }

    /// Sends a call to a server that responds with 503 to what is signed. Returns what was sent signed.
    private func sent(_ interceptors: [any NetworkInterceptor]) async -> (calls: [NetworkCall], error: NetworkError?) {
        let transport = CannedTransport { call throws(NetworkError) in
            let isSigned = call.headers.contains("Authorization") || call.headers.contains("Signature")
            return NetworkResponse(
                statusCode: isSigned ? 503 : 401, headers: ["WWW-Authenticate": "Digest realm=r, nonce=n, qop=auth"],
                url: call.url)
        }
        let network = NetworkConfiguration(transport, interceptors, clock: ManualClock(advancesItself: true))
        let content = String(repeating: "one copy", count: 100)
        let outcome = await NetworkSession(network).outcome(of: Ask(method: .put, content: content))
        let signed = transport.calls.filter { signature(of: $0) != "" }
        guard case .failure(let error) = outcome else { return (signed, nil) }
        return (signed, error)
    }

    private func signature(of call: NetworkCall) -> String {
        ["Authorization", "Signature"].compactMap { call.headers[$0] }.joined()
    }

    private func check(_ calls: [NetworkCall], _ count: Int, _ place: String) {
        XCTAssertEqual(calls.count, count, place)
        XCTAssertEqual(Set(calls.map(signature)).count, count, "\(place): each has a signature of its own")
        for call in calls {
            guard case .data(let body)? = call.body?.content else { return XCTFail(place) }
            let digest = MessageDigest.of(body, .sha256)
            if let payload = call.headers["X-Amz-Content-Sha256"] {
                XCTAssertEqual(payload, digest.hexadecimal, place)
            }
            if let field = call.headers["Content-Digest"] {
                XCTAssertEqual(field, ContentDigest.field(of: digest), place)
            }
            guard let fields = call.headers["Authorization"]?.firstMatch(of: /SignedHeaders=([^,]*)/)?.1 else {
                continue
            }
            for field in ["X-API-Key", "Content-Encoding", "Content-Digest", "X-Request-ID"]
            where call.headers.contains(field) {
                XCTAssertTrue(fields.contains(field.lowercased()), "\(place): \(field)")
            }
        }
    }

    func testEveryOrderWithAnotherInterceptor() async {
        let others: [(any NetworkInterceptor, sets: MessageSignature.Component, attempts: Int)] = [
            (retry, .method, 3), (RateLimitInterceptor(1), .method, 1), (SingleFlightInterceptor(), .method, 1),
            (AuthorizationInterceptor(.header("X-API-Key", "k"), for: scope), "x-api-key", 1),
            (CompressionInterceptor(threshold: 1), "content-encoding", 1),
            (LoggingInterceptor(to: LogBook()), .method, 1),
            (TracingInterceptor(), "x-request-id", 1), (ContentDigestInterceptor(), "content-digest", 1),
        ]
        for (other, component, attempts) in others {
            for signer in signers(component) {
                for order in [[signer, other], [other, signer]] {
                    let place = order.map { "\(type(of: $0))" }.joined(separator: ", ")
                    let (calls, error) = await sent(order)
                    XCTAssertNil(error, place)
                    check(calls, attempts, place)
                }
            }
        }
    }

    func testEveryOrderOfTwoSigners() async {
        for (first, one) in signers().enumerated() {
            for (second, other) in signers().enumerated() where first != second {
                let place = "\(type(of: one)), \(type(of: other))"
                let (calls, error) = await sent([one, other, retry])
                if one is MessageSignatureInterceptor, other is DigestInterceptor {
                    XCTAssertTrue("\(String(describing: error))".contains("place DigestInterceptor before"), place)
                    XCTAssertEqual(calls.count, 0)
                } else {
                    XCTAssertNil(error, place)
                    check(calls, 3, place)
                }
            }
        }
    }

    func testADigestIsThatOfTheCompressedBody() async {
        let digest = ContentDigestInterceptor()
        let (calls, error) = await sent([CompressionInterceptor(threshold: 1), digest] + signers())
        XCTAssertNil(error)
        check(calls, 1, "compressed before")
        let (none, refused) = await sent([digest, CompressionInterceptor(threshold: 1)] + signers())
        XCTAssertTrue("\(String(describing: refused))".contains("place CompressionInterceptor before"))
        XCTAssertEqual(none.count, 0)
    }

    func testARefreshedTokenIsSignedAgain() async {
        let signer = signers("authorization")[3]
        for isOuter in [false, true] {
            let tokens = TokenSource(store: MemoryTokenStore(TokenSet("old"))) { _ in TokenSet("new") }
            let authorization = AuthorizationInterceptor(tokens, for: scope)
            let transport = CannedTransport(accepting: "new")
            let network = NetworkConfiguration(
                transport, isOuter ? [signer, authorization] : [authorization, signer], clock: ManualClock())
            assertEqual(await NetworkSession(network).status(), 200)
            XCTAssertEqual(Set(transport.calls.compactMap { $0.headers["Signature"] }).count, 2)
        }
    }
}
