import RecordKit
import RecordKitInterceptors
import RecordKitTesting
import TestSupport
import XCTest

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

final class RedirectTests: TimedTestCase {
    private static let secrets: HTTPHeaders = [
        "Authorization": "Bearer s3cret", "Proxy-Authorization": "Basic s3cret", "Cookie": "session=s3cret",
        "X-Api-Key": "s3cret", "X-Access-Token": "s3cret", "X-Till": "s3cret", "X-Plain": "plain",
        "User-Agent": "Shop/1 (https://shop.example,me@shop.example)",
        "DPoP": "s3cret", "X-Goog-Iap-Jwt-Assertion": "s3cret", "X-Functions-Key": "s3cret", "X-Xsrf": "s3cret",
        "Referer": "https://store.example/?token=s3cret",
    ]

    func testNoSecretCrossesAnOriginOnAnyWay() async throws {
        for way in HostileBehavior.Way.allCases {
            for status in [301, 302, 303, 307, 308] {
                let other = try LoopbackServer(responses: [.text("other")])
                let server = try LoopbackServer { request in
                    // Redirects within the origin first, where secrets may be sent.
                    request.path == "/ask"
                        ? .redirect(to: "/next", status: status)
                        : .redirect(to: "\(other.url)/x", status: status)
                }
                let text = try await run(Ask(headers: Self.secrets), at: server, way)

                XCTAssertEqual(text, "200 other", "\(way), \(status)")
                XCTAssertEqual(server.requests.map { $0.header("Authorization") }, ["Bearer s3cret", "Bearer s3cret"])
                let received = try XCTUnwrap(other.requests.first)
                XCTAssertEqual(received.header("X-Plain"), "plain")
                XCTAssertEqual(received.header("User-Agent"), Self.secrets["User-Agent"])
                XCTAssertFalse(String(decoding: received.bytes, as: UTF8.self).contains("s3cret"), "\(way), \(status)")
            }
        }
    }

    func testASecretThatWasLeftBehindDoesNotComeBack() async throws {
        let home = Kept("")
        let other = try LoopbackServer { _ in .redirect(to: "\(home.now)/back") }
        let server = try LoopbackServer { request in
            request.path == "/back" ? .text("back") : .redirect(to: "\(other.url)/x")
        }
        home.set(server.url.absoluteString)

        let text = try await run(Ask(headers: Self.secrets), at: server, .value)

        XCTAssertEqual(text, "200 back")
        let received = try XCTUnwrap(server.requests.last)
        XCTAssertFalse(String(decoding: received.bytes, as: UTF8.self).contains("s3cret"))
    }

    /// RFC 9110 sections 15.4.2 to 15.4.9.
    func testMethodAndBodyFollowTheStatus() async throws {
        let methods: [HTTPMethod] = [.get, .head, .post, .put, .patch, .delete]
        for status in [301, 302, 303, 307, 308] {
            for method in methods {
                let hasBody = method != .get && method != .head
                let becomesGet = hasBody && (status == 303 || method == .post && status < 303)
                let request = Ask<NetworkResponse>(
                    method: method, headers: ["If-Match": "1", "X-Plain": "x"], content: hasBody ? "stock" : nil)
                for way in HostileBehavior.Way.allCases {
                    let place = "\(method), \(status), as a \(way)"
                    let server = try LoopbackServer { request in
                        request.path == "/ask" ? .redirect(to: "/x", status: status) : .text("there")
                    }
                    let text = try await run(request, at: server, way)
                    if way.isDataTask, hasBody, !becomesGet {
                        XCTAssertEqual(text, "redirect: bodyCannotBeSentAgain", place)
                        XCTAssertEqual(server.requests.count, 1, place)
                        continue
                    }
                    XCTAssertEqual(text, method == .head ? "200 " : "200 there", place)
                    let last = try XCTUnwrap(server.requests.last)
                    XCTAssertEqual(last.path, "/x", place)
                    XCTAssertEqual(last.method, becomesGet ? .get : method, place)
                    XCTAssertEqual(last.text, hasBody && !becomesGet ? "stock" : "", place)
                    XCTAssertEqual(last.header("Content-Type") != nil, hasBody && !becomesGet, place)
                    XCTAssertEqual(last.header("If-Match") != nil, status != 303 && !becomesGet, place)
                    XCTAssertEqual(last.header("X-Plain"), "x", place)
                }
            }
        }
    }

    func testAnEmptyBodyIsNothingToSendAgain() async throws {
        for way in HostileBehavior.Way.allCases {
            let server = try LoopbackServer { request in
                request.path == "/ask"
                    ? .redirect(to: "/x", status: 307) : .text("\(request.method) \(request.text.count)")
            }
            assertEqual(try await run(Ask(method: .post, content: ""), at: server, way), "200 POST 0", "\(way)")
        }
    }

    /// URLSession sends `post` as `POST`.
    func testAMethodInSmallLettersFollowsToo() async throws {
        for way in HostileBehavior.Way.allCases {
            let server = try LoopbackServer { request in
                request.path == "/ask" ? .redirect(to: "/x") : .text("\(request.method) \(request.text)")
            }
            assertEqual(try await run(Ask(method: "post", content: "stock"), at: server, way), "200 GET ", "\(way)")
        }
    }

    /// URLSession treats a 305 as a redirect too.
    func testARedirectThatIsNotFollowedHasItsBody() async throws {
        for (status, policy) in [(302, RedirectPolicy.never), (305, .follow())] {
            let server = try LoopbackServer { _ in
                .status(status, headers: ["Location": "/x"], body: Data("moved".utf8))
            }
            let text = try await run(Ask(options: RequestOptions(redirects: policy)), at: server, .value)
            XCTAssertEqual(text, "refused \(status) moved")
            XCTAssertEqual(server.requests.count, 1)
        }
    }

    /// URLSession ends a task after 20 redirects.
    func testADataTaskFollows19AtMost() async throws {
        let server = try LoopbackServer { .redirect(to: $0.path + "x") }
        let ask = Ask<NetworkResponse>(options: RequestOptions(redirects: RedirectPolicy.follow(limit: 25)))
        for way in HostileBehavior.Way.allCases {
            let text = try await run(ask, at: server, way)
            XCTAssertEqual(text, "redirect: tooMany(limit: \(way.isDataTask ? 19 : 25))", "\(way)")
        }
        XCTAssertEqual(server.requests.count, 26 + 20 + 20 + 26)
    }

    func testAFailureAfterARedirectMayHaveReachedAServer() async throws {
        let server = try LoopbackServer(responses: [.redirect(to: "http://127.0.0.1:1/", status: 303)])
        for way in HostileBehavior.Way.allCases {
            assertEqual(try await run(Ask(method: .post, content: "x"), at: server, way), "refused", "\(way)")
        }
    }

    func testASlotIsTakenAtEachStopOfARedirect() async throws {
        let other = try LoopbackServer(responses: [.text("other")])
        let server = try LoopbackServer(responses: [.redirect(to: "\(other.url)/x")])
        let transport = URLSessionTransport(exchangesPerHost: 1)
        for way in [HostileBehavior.Way.value, .dataTask, .value, .dataTask] {
            assertEqual(try await run(Ask(), at: server, way, transport: transport), "200 other", "\(way)")
        }
    }

    private func run(
        _ request: Ask<NetworkResponse>, at server: LoopbackServer, _ way: HostileBehavior.Way,
        transport: URLSessionTransport = URLSessionTransport()
    ) async throws -> String {
        var configuration = NetworkConfiguration(server.url, transport: transport)
        configuration.sensitiveNames = ["X-Till"]
        return await way.outcome(configuration, request)
    }
}
