import RecordKit
import RecordKitCurl
import RecordKitDigest
import RecordKitInterceptors
import RecordKitSigning
import RecordKitTesting
import TestSupport
import XCTest

/// Both transports, for what happens on the wire.
func transports() -> [any NetworkTransport] { [URLSessionTransport(), CurlTransport()] }

/// A server that asks for digest authentication, and refuses a number that a nonce was used with before.
private final class DigestServer: Sendable {
    private struct State {
        var nonce = 1
        var uses = 0
        var seen: Set<String> = []
    }

    let server: LoopbackServer

    /// - Parameters:
    ///   - uses: The number of calls that a nonce may be used for.
    ///   - namesNext: Whether responses name the next nonce once the uses are over.
    ///   - marksStale: Whether the server says that a nonce was too old.
    init(uses: Int = .max, namesNext: Bool = false, marksStale: Bool = true, domain: String = "") throws {
        let state = Kept(State())
        server = try LoopbackServer { request in
            state.change { state in
                var isStale = false
                if let field = request.header("Authorization") {
                    let pairs = field.matches(of: /(\w+)=(?:"([^"]*)"|([^ ,]*))/)
                    let parameters = Dictionary(
                        uniqueKeysWithValues: pairs.map { (String($0.1), String($0.2 ?? $0.3 ?? "")) })
                    if Self.isRight(parameters, request), parameters["uri"] == request.target {
                        let number = "\(parameters["nonce"] ?? "") \(parameters["nc"] ?? "")"
                        if parameters["nonce"] == "n\(state.nonce)", state.uses < uses,
                            state.seen.insert(number).inserted
                        {
                            state.uses += 1
                            guard namesNext, state.uses == uses else { return .text(request.text) }
                            (state.nonce, state.uses) = (state.nonce + 1, 0)
                            return .status(
                                200, headers: ["Authentication-Info": "nextnonce=\"n\(state.nonce)\""],
                                body: request.body)
                        }
                        isStale = true
                        if state.uses >= uses { (state.nonce, state.uses) = (state.nonce + 1, 0) }
                    }
                }
                var headers: HTTPHeaders = ["WWW-Authenticate": "Basic realm=\"b\""]
                headers.add(
                    "WWW-Authenticate",
                    "Digest realm=\"r\", nonce=\"n\(state.nonce)\", qop=\"auth\", algorithm=SHA-256\(domain)"
                        + (isStale && marksStale ? ", stale=TRUE" : ""))
                return .status(401, headers: headers)
            }
        }
    }

    private static func isRight(_ parameters: [String: String], _ request: LoopbackRequest) -> Bool {
        func value(_ name: String) -> String { parameters[name] ?? "" }
        func hash(_ text: String) -> String { MessageDigest.of(Data(text.utf8), .sha256).hexadecimal }
        let middle = "\(value("nonce")):\(value("nc")):\(value("cnonce")):\(value("qop"))"
        return value("response")
            == hash("\(hash("u:r:p")):\(middle):\(hash("\(request.method.rawValue):\(request.target)"))")
    }
}

final class DigestFlowTests: TimedTestCase {
    private func session(
        _ url: URL, _ transport: any NetworkTransport = URLSessionTransport(), password: String = "p"
    ) -> NetworkSession {
        let scope = CredentialScope.origin(url.absoluteString)
        return NetworkSession(
            NetworkConfiguration(
                environment: NetworkEnvironment(url.absoluteString), transport: transport,
                interceptors: [DigestInterceptor(user: "u", password: password, for: scope)]))
    }

    func testCallsAreSignedAheadAfterTheFirstChallenge() async throws {
        for transport in transports() {
            let digest = try DigestServer()
            let network = session(digest.server.url, transport)
            let text = try await network.value(for: Ask<String>(method: .post, content: "one copy"))
            XCTAssertEqual(text, "one copy")
            XCTAssertEqual(digest.server.requests.map { $0.header("Authorization") != nil }, [false, true])
            XCTAssertEqual(digest.server.requests.map(\.text), ["one copy", "one copy"])
            try await withThrowingTaskGroup { group in
                for number in 1...20 {
                    group.addTask {
                        let ask = Ask<String>(method: .put, query: ["a b": "\(number)+ä"], content: "\(number)")
                        assertEqual(try await network.value(for: ask), "\(number)")
                    }
                }
                try await group.waitForAll()
            }
            XCTAssertEqual(digest.server.requests.count, 22, "no second challenge")
        }
    }

    /// All get the same nonce, and the server refuses a number that it has seen.
    func testTheFirstCallsShareTheCountOfANonce() async throws {
        for transport in transports() {
            let digest = try DigestServer()
            let network = session(digest.server.url, transport)
            try await withThrowingTaskGroup { group in
                for number in 1...20 {
                    group.addTask {
                        let text = try await network.value(for: Ask<String>(method: .put, content: "\(number)"))
                        XCTAssertEqual(text, "\(number)")
                    }
                }
                try await group.waitForAll()
            }
            XCTAssertEqual(digest.server.requests.count { $0.header("Authorization") != nil }, 20)
        }
    }

    func testAWrongPasswordIsTriedOnce() async throws {
        for transport in transports() {
            let digest = try DigestServer()
            let network = session(digest.server.url, transport, password: "wrong")
            for _ in 1...2 { assertEqual(await network.status(), 401) }
            XCTAssertEqual(
                digest.server.requests.map { $0.header("Authorization") != nil }, [false, true, false, true])
        }
    }

    func testANonceThatIsUsedUp() async throws {
        let servers = [
            (digest: try DigestServer(uses: 3, marksStale: true), moreExchanges: 3),
            // After its restart, for example.
            (try DigestServer(uses: 3, marksStale: false), 3),
            (try DigestServer(uses: 2, namesNext: true), 1),
        ]
        for (digest, moreExchanges) in servers {
            let network = session(digest.server.url)
            for _ in 1...7 { assertEqual(await network.status(), 200) }
            XCTAssertEqual(digest.server.requests.count, 7 + moreExchanges)
        }
    }

    func testAServerThatAlwaysSaysStaleEndsAfterThreeAttempts() async throws {
        let challenge: HTTPHeaders = ["WWW-Authenticate": "Digest realm=r, nonce=n, stale=true"]
        let transport = CannedTransport(.answer(401, challenge))
        let interceptor = DigestInterceptor(user: "u", password: "p", for: "https://store.example")
        let network = NetworkSession(NetworkConfiguration(transport, [interceptor], clock: ManualClock()))
        assertEqual(await network.status(), 401)
        XCTAssertEqual(transport.calls.count, 3)
        XCTAssertEqual(transport.calls.map(\.attempt), [1, 2, 3])
    }

    func testOnlyTheProtectionSpaceIsSignedAhead() async throws {
        let digest = try DigestServer(domain: #", domain="/ask https://elsewhere.example/x""#)
        let network = session(digest.server.url)
        _ = await network.status()
        _ = await network.status(of: Ask(path: "ask/more"))
        _ = await network.status(of: Ask(path: "other"))
        XCTAssertEqual(
            digest.server.requests.map { "\($0.path) \($0.header("Authorization") != nil)" },
            ["/ask false", "/ask true", "/ask/more true", "/other false", "/other true"])
    }

    func testABodyThatCanBeReadOnceIsNotSentAgain() async throws {
        let challenge: HTTPHeaders = ["WWW-Authenticate": "Digest realm=r, nonce=n"]
        let transport = CannedTransport(.answer(401, challenge), .answer(200))
        let interceptor = DigestInterceptor(user: "u", password: "p", for: "https://store.example")
        let once = Changing { $0.body?.canBeSentAgain = false }
        let network = NetworkSession(NetworkConfiguration(transport, [once, interceptor], clock: ManualClock()))
        let ask = Ask<Data>(method: .post, content: "one copy")
        let first = await network.status(of: ask)
        let second = await network.status(of: ask)
        XCTAssertEqual([first, second], [401, 200])
        XCTAssertEqual(
            transport.calls.map { $0.headers.contains("Authorization") }, [false, true], "the second is signed ahead")
    }

    /// The values were computed with hashlib. URLSession on Linux refuses a header in ISO 8859-1.
    func testTheRealmIsHashedAndSentAsItCame() async throws {
        let cases: [(realm: Data, response: String)] = [
            (Data([0x43, 0x61, 0x66, 0xE9]), "b22d85ab8aa040c2b4f723e813b8b596"),
            (Data("Café".utf8), "5fe5d407e6d6fdf2313bd655a87dc7f4"),
        ]
        for (realm, response) in cases {
            let server = try LoopbackServer { request in
                if request.header("Authorization") != nil { return .status(200) }
                let head = Data("HTTP/1.1 401 \r\nContent-Length: 0\r\nWWW-Authenticate: Digest realm=\"".utf8)
                return StubResponse([.send(head + realm + Data("\", nonce=n\r\n\r\n".utf8))])
            }
            assertEqual(await session(server.url, CurlTransport()).status(), 200)
            let sent = try XCTUnwrap(server.requests.last?.bytes)
            XCTAssertNotNil(sent.range(of: Data("realm=\"".utf8) + realm + Data("\", nonce".utf8)))
            XCTAssertNotNil(sent.range(of: Data("response=\"\(response)\"".utf8)))
        }
    }

    /// The number of a nonce is hexadecimal, and begins again with the next nonce.
    func testTheNumbersOfANonce() async throws {
        let turns = Kept(0)
        let transport = CannedTransport { call throws(NetworkError) in
            let turn = turns.change { turns in
                turns += 1
                return turns
            }
            let challenge: HTTPHeaders = ["WWW-Authenticate": "Digest realm=r, nonce=a, qop=auth"]
            let next: HTTPHeaders = turn == 18 ? ["Authentication-Info": "nextnonce=\"b\""] : [:]
            return NetworkResponse(
                statusCode: turn == 1 ? 401 : 200, headers: turn == 1 ? challenge : next, url: call.url)
        }
        let interceptor = DigestInterceptor(user: "u", password: "p", for: "https://store.example")
        let network = NetworkSession(NetworkConfiguration(transport, [interceptor], clock: ManualClock()))
        for _ in 1...19 { assertEqual(await network.status(), 200) }
        let sent = transport.calls.dropFirst().map { call -> String in
            let match = call.headers["Authorization"]?.firstMatch(of: /nonce="(.)".* nc=([^,]*)/)
            return match.map { "\($0.1) \($0.2)" } ?? ""
        }
        let numbers = [1...9, 10...17].joined().map { "a 000000" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }
        XCTAssertEqual(sent, numbers + ["b 00000001", "b 00000002"])
    }

    func testMD5CanBeRefused() async throws {
        let transport = CannedTransport(
            .answer(401, ["WWW-Authenticate": "Digest realm=r, nonce=a, Digest realm=r, nonce=b, algorithm=SHA-256"]),
            .answer(401, ["WWW-Authenticate": "Digest realm=r, nonce=a"]))
        let interceptor = DigestInterceptor(user: "u", password: "p", allowsMD5: false, for: "https://store.example")
        let network = NetworkSession(NetworkConfiguration(transport, [interceptor], clock: ManualClock()))
        _ = await network.status()
        XCTAssertEqual(transport.calls.count, 2)
        XCTAssertTrue(try XCTUnwrap(transport.calls[1].headers["Authorization"]).contains("nonce=\"b\""))
        var text = "\(interceptor)"
        dump(interceptor, to: &text)
        XCTAssertFalse(text.contains("password"))
    }

    /// Challenges that no server should send: one outcome each, and no crash.
    func testHostileChallenges() async throws {
        let fields = [
            "Digest", "Digest =", "Digest realm=\"", "Digest realm=\"\\", "Digest realm=r, nonce=n, qop=\"\"",
            "Digest realm=r, nonce=n, algorithm=", "Digest realm=r, nonce=n, algorithm=-sess",
            "Digest realm=r, nonce=n, domain=\"\(String(repeating: "/a ", count: 20_000))\"",
            "Digest realm=\"\(String(repeating: "\\\"", count: 4000))\", nonce=n",
            String(repeating: "Digest realm=r, nonce=n, ", count: 5000),
            "Digest realm=r, nonce=\"\u{7f}\u{e9}\"", "Digest realm=r, nonce=n, userhash=true, charset=x, stale=\"\"",
        ]
        let repeated = ["\"", "\\\"", ",", "a=", "a=\"", "Digest ", "=", " "].map {
            "Digest " + String(repeating: $0, count: 100_000)
        }
        for field in fields + repeated {
            let transport = CannedTransport(.answer(401, ["WWW-Authenticate": field]))
            let interceptor = DigestInterceptor(user: "u", password: "p", for: "https://store.example")
            let network = NetworkSession(NetworkConfiguration(transport, [interceptor], clock: ManualClock()))
            assertEqual(await network.status(), 401, String(field.prefix(100)))
            XCTAssertLessThanOrEqual(transport.calls.count, 3)
        }
        for next in ["", "nextnonce", "nextnonce=\"", "nextnonce=\"\(String(repeating: "n", count: 9000))\""] {
            let transport = CannedTransport(
                .answer(401, ["WWW-Authenticate": "Digest realm=r, nonce=n"]),
                .answer(200, ["Authentication-Info": next]))
            let interceptor = DigestInterceptor(user: "u", password: "p", for: "https://store.example")
            let network = NetworkSession(NetworkConfiguration(transport, [interceptor], clock: ManualClock()))
            _ = await network.status()
            _ = await network.status()
            XCTAssertTrue(try XCTUnwrap(transport.calls.last?.headers["Authorization"]).contains("nonce=\"n\""), next)
        }
    }
}

/// The server that `Scripts/servers/lighttpd` starts.
final class DigestServerTests: TimedTestCase {
    func testLighttpd() async throws {
        let environment = ProcessInfo.processInfo.environment
        guard let url = environment["RECORDKIT_DIGEST_URL"], let user = environment["RECORDKIT_DIGEST_USER"],
            let password = environment["RECORDKIT_DIGEST_PASSWORD"]
        else { throw XCTSkip("set RECORDKIT_DIGEST_URL, RECORDKIT_DIGEST_USER and RECORDKIT_DIGEST_PASSWORD") }
        for transport in transports() {
            for kind in ["md5", "sha256", "hashed"] {
                func session(_ password: String) -> NetworkSession {
                    let interceptor = DigestInterceptor(user: user, password: password, for: .origin(url))
                    return NetworkSession(
                        NetworkConfiguration(
                            environment: NetworkEnvironment(url), transport: transport, interceptors: [interceptor]))
                }
                let network = session(password)
                let text = try await network.value(for: Ask<String>(path: "\(kind)/file", query: ["a b": "+ä&"]))
                XCTAssertEqual(text, kind)
                try await withThrowingTaskGroup { group in
                    for _ in 1...20 {
                        group.addTask {
                            assertEqual(try await network.value(for: Ask<String>(path: "\(kind)/a b/ä+file")), kind)
                        }
                    }
                    try await group.waitForAll()
                }
                assertEqual(await session("wrong").status(of: Ask(path: "\(kind)/file")), 401)
            }
        }
    }
}
