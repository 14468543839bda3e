import RecordKit
import RecordKitInterceptors
import RecordKitTesting
import TestSupport
import XCTest

final class CredentialTests: TimedTestCase {
    private let store: CredentialScope = "https://store.example"

    private func signed(_ credential: Credential, _ ask: Ask<Data> = Ask()) async -> NetworkCall? {
        let transport = CannedTransport()
        let network = NetworkConfiguration(
            transport, [AuthorizationInterceptor(credential, for: store)], clock: ManualClock())
        _ = await NetworkSession(network).outcome(of: ask)
        return transport.calls.first
    }

    func testEachFormIsWrittenAsItsStandardSays() async {
        let headers: [(Credential, String, String)] = [
            (.bearer("mF_9.B5f-4.1JqM"), "Authorization", "Bearer mF_9.B5f-4.1JqM"),
            (.basic(user: "test", password: "123£"), "Authorization", "Basic dGVzdDoxMjPCow=="),
            (.basic(user: "Aladdin", password: "open:sesame"), "Authorization", "Basic QWxhZGRpbjpvcGVuOnNlc2FtZQ=="),
            // In Normalization Form C (RFC 7617 section 2.1), however it was typed.
            (.basic(user: "e\u{301}", password: "u\u{308}"), "Authorization", "Basic w6k6w7w="),
            (.scheme("Discogs", "token=abc"), "Authorization", "Discogs token=abc"),
            (.header("X-Till", "k3y"), "X-Till", "k3y"),
        ]
        for (credential, name, value) in headers {
            let call = await signed(credential)
            XCTAssertEqual(call?.headers.values(for: name), [value])
            XCTAssertEqual(call?.headers.isSensitive(name), true)
        }
    }

    func testAKeyInTheQueryJoinsWhatIsThere() async {
        let plain = await signed(.query("till", "a+b&c"))
        XCTAssertEqual(plain?.url.absoluteString, "https://store.example/ask?till=a%2Bb%26c")
        XCTAssertEqual(plain?.description.contains("a%2Bb"), false)

        let transport = CannedTransport()
        let network = NetworkSession(
            transport, [AuthorizationInterceptor(.query("till", "k"), for: store)], clock: ManualClock())
        _ = try? await network.value(for: Shop.Many.list(title: "Blue"))
        XCTAssertEqual(transport.calls.first?.url.absoluteString, "https://store.example/items?title=Blue&till=k")
    }

    func testAKeyInTheQueryStandsBeforeTheFragment() async throws {
        let url = try XCTUnwrap(URL(string: "https://store.example/ask#part?"))
        let response = try await AuthorizationInterceptor(.query("till", "k"), for: store).intercept(
            NetworkCall(url: url)
        ) { NetworkResponse(statusCode: 200, url: $0.url) }
        XCTAssertEqual(response.url.absoluteString, "https://store.example/ask?till=k#part?")
    }

    func testAnInvalidCredentialIsATypedErrorAndNothingIsSent() async {
        for credential in [
            Credential.bearer("a\r\nX-Evil: 1"), .basic(user: "a:b", password: "c"),
            .basic(user: "a\u{7}", password: "c"),
            .header("X Till", "k"), .header("X-Till", "k\n"), .scheme("two words", "x"), .query("", "x"),
            .scheme("Discogs token=s3cret", ""), .header("X-Till: s3cret", "x"),
        ] {
            let transport = CannedTransport()
            let network = NetworkConfiguration(
                transport, [AuthorizationInterceptor(credential, for: store)], clock: ManualClock())
            guard case .failure(let error) = await NetworkSession(network).outcome(of: Ask()) else {
                return XCTFail("no error")
            }
            switch error {
            case .interceptor(let failure): XCTAssertEqual(failure.interceptor, "AuthorizationInterceptor")
            case .invalidRequest(let failure): XCTAssertEqual(failure.member, .headers)
            default: XCTFail("\(error)")
            }
            XCTAssertFalse(error.mayHaveReachedServer)
            XCTAssertFalse("\(error)".contains("s3cret"), "\(error)")
            XCTAssertTrue(transport.calls.isEmpty)
        }
    }

    func testACallThatBringsItsOwnIsLeftAlone() async {
        let call = await signed(.bearer("ours"), Ask(headers: ["authorization": "Basic own"]))
        XCTAssertEqual(call?.headers.values(for: "Authorization"), ["Basic own"])
        let keyed = await signed(.query("title", "ours"), Ask(query: ["TITLE": 1, "title": "own"]))
        XCTAssertEqual(keyed?.url.query(), "TITLE=1&title=own")
        let encoded = await signed(.query("the title", "ours"), Ask(query: ["the title": "own"]))
        XCTAssertEqual(encoded?.url.query(percentEncoded: true), "the%20title=own")
    }

    func testATokenInAHeaderOfItsOwnGoesBesideAnothersCredential() async {
        let tokens = TokenSource(store: MemoryTokenStore(TokenSet("t"))) {
            .header("X-Till", $0.accessToken)
        } refresh: { _ in
            throw CancellationError()
        }
        let transport = CannedTransport()
        let network = NetworkConfiguration(
            transport,
            [
                AuthorizationInterceptor(.basic(user: "gate", password: "way"), for: store),
                AuthorizationInterceptor(tokens, for: store),
            ],
            clock: ManualClock())
        _ = await NetworkSession(network).outcome(of: Ask())
        _ = await NetworkSession(network).outcome(of: Ask(headers: ["X-Till": "own"]))
        XCTAssertEqual(transport.calls.map { $0.headers["X-Till"] }, ["t", "own"])
        XCTAssertEqual(transport.calls.map { $0.headers.contains("Authorization") }, [true, true])
    }

    func testACredentialStaysInItsScope() async {
        let port = 8888
        let both = CredentialScope.anyOf(["https://store.example", .domain("cdn.example")])
        let addresses: [(CredentialScope, String, Bool)] = [
            (both, "https://store.example", true), (both, "https://a.cdn.example", true),
            (both, "https://b.example", false),
            ("https://store.example", "https://store.example/a", true),
            ("https://store.example/v1", "https://STORE.example:443/b", true),
            ("https://store.example", "http://store.example/a", false),
            ("https://store.example", "https://store.example:8443/a", false),
            ("https://store.example", "https://api.store.example/a", false),
            ("https://store.example", "https://store.example.evil.example/a", false),
            ("http://127.0.0.1:8888/v1", "http://127.0.0.1:8888/v1/a", true),
            ("http://127.0.0.1:\(port)", "http://127.0.0.1:8888/v1/a", true),
            (.domain("store.example"), "https://store.example/a", true),
            (.domain("Store.example"), "https://api.store.example/a", true),
            (.domain("bücher.example"), "https://shop.bücher.example/a", true),
            (.domain("xn--bcher-kva.example"), "https://BÜCHER.example/a", true),
            (.domain("store.example"), "https://evilstore.example/a", false),
            (.domain("store.example"), "http://store.example/a", false),
            (.domain("store.example"), "https://store.example:8443/a", false),
            (.domain("store.example"), "https://store.example:444/a", false),
            // The scheme is one letter shorter than https, and the host one letter longer.
            (.domain("store.example"), "http://a.store.example:443/a", false),
            (.domain("store.example"), "http://xstore.example:443/a", false),
            (.domain("store.example"), "http://xx.store.example:443/a", false),
        ]
        for (scope, address, isIn) in addresses {
            let transport = CannedTransport()
            let network = NetworkConfiguration(
                transport, [AuthorizationInterceptor(.bearer("t"), for: .anyOf(["https://other.example", scope]))],
                clock: ManualClock())
            _ = await NetworkSession(network).outcome(of: Ask(baseURL: address, path: ""))
            XCTAssertEqual(transport.calls.first?.headers.contains("Authorization"), isIn, "\(scope) \(address)")
        }
    }

    func testTwoSignInsNeverGetEachOthersCredential() async {
        let transport = CannedTransport()
        let network = NetworkConfiguration(
            transport,
            [
                AuthorizationInterceptor(.bearer("store"), for: "https://store.example"),
                AuthorizationInterceptor(.bearer("discogs"), for: .domain("discogs.com")),
            ], clock: ManualClock())
        for base in ["https://store.example", "https://api.discogs.com", "https://elsewhere.example"] {
            _ = await NetworkSession(network).outcome(of: Ask(baseURL: base))
        }
        XCTAssertEqual(transport.calls.map { $0.headers["Authorization"] }, ["Bearer store", "Bearer discogs", nil])
    }

    func testAScopeThatIsNoneIsATypedError() async {
        for scope in [
            CredentialScope.origin("store.example"), "ftp://store.example", "", .domain("com"), .domain("a.b/c"),
            .anyOf([]),
            .anyOf(["https://store.example", "none"]),
            .domain("store.example."), .domain(".store.example"), .domain("*.store.example"),
            .domain("store..example"), .domain("127.0.0.1"), .domain("me:s3cret@store.example"),
            .origin("ftp://me:s3cret@store.example"), .origin("https://me:s3cret@"), .domain("store.example?t=s3cret"),
        ] {
            let transport = CannedTransport()
            let network = NetworkConfiguration(
                transport, [AuthorizationInterceptor(.bearer("t"), for: scope)], clock: ManualClock())
            guard case .failure(let error) = await NetworkSession(network).outcome(of: Ask()), case .interceptor = error
            else { return XCTFail("\(scope)") }
            XCTAssertFalse(error.description.contains("s3cret"), error.description)
            XCTAssertTrue(transport.calls.isEmpty)
        }
    }
}
