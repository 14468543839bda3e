import Foundation
import RecordKit
import RecordKitInterceptors
import RecordKitTesting
import Synchronization
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
        let home = Mutex("")
        let other = try LoopbackServer { _ in .redirect(to: "\(home.withLock { $0 })/back") }
        let server = try LoopbackServer { request in
            request.path == "/back" ? .text("back") : .redirect(to: "\(other.url)/x")
        }
        home.withLock { $0 = server.url.absoluteString }

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
            let text = try await run(Ask(method: .post, content: ""), at: server, way)
            XCTAssertEqual(text, "200 POST 0", "\(way)")
        }
    }

    /// URLSession sends `post` as `POST`.
    func testAMethodInSmallLettersFollowsToo() async throws {
        for way in HostileBehavior.Way.allCases {
            let server = try LoopbackServer { request in
                request.path == "/ask" ? .redirect(to: "/x") : .text("\(request.method) \(request.text)")
            }
            let text = try await run(Ask(method: "post", content: "stock"), at: server, way)
            XCTAssertEqual(text, "200 GET ", "\(way)")
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
            let text = try await run(Ask(method: .post, content: "x"), at: server, way)
            XCTAssertEqual(text, "refused", "\(way)")
        }
    }

    func testASlotIsTakenAtEachStopOfARedirect() async throws {
        let other = try LoopbackServer(responses: [.text("other")])
        let server = try LoopbackServer(responses: [.redirect(to: "\(other.url)/x")])
        let transport = URLSessionTransport(exchangesPerHost: 1)
        for way in [HostileBehavior.Way.value, .dataTask, .value, .dataTask] {
            let text = try await run(Ask(), at: server, way, transport: transport)
            XCTAssertEqual(text, "200 other", "\(way)")
        }
    }

    private func run(
        _ request: Ask<NetworkResponse>, at server: LoopbackServer, _ way: HostileBehavior.Way,
        transport: URLSessionTransport = URLSessionTransport()
    ) async throws -> String {
        var configuration = NetworkConfiguration(server.url)
        configuration.transport = transport
        configuration.sensitiveNames = ["X-Till"]
        return await HostileBehavior.text(of: HostileBehavior.run(request, configuration, way))
    }

    // MARK: What a response knows

    func testAResponseKnowsTheRedirectsThatLedToIt() async throws {
        for way in HostileBehavior.Way.allCases {
            let other = try LoopbackServer(responses: [.text("other")])
            let server = try LoopbackServer { request in
                request.path == "/ask"
                    ? .redirect(to: "/next", status: 303) : .redirect(to: "\(other.url)/x", status: 307)
            }
            let ask = Ask<NetworkResponse>(method: .post, content: "stock")
            let response = try await HostileBehavior.run(ask, NetworkConfiguration(server.url), way).get()
            XCTAssertEqual(
                response.redirects.map { "\($0.statusCode) \($0.method) \($0.url)" },
                ["303 POST \(server.url)/ask", "307 GET \(server.url)/next"], "\(way)")
            XCTAssertEqual(response.url, other.url.appending(path: "x"), "\(way)")
        }
    }

    func testAResponseOfTheFirstAddressHasNone() async throws {
        for way in HostileBehavior.Way.allCases {
            let server = try LoopbackServer(responses: [.text("ask")])
            let response = try await HostileBehavior.run(
                Ask<NetworkResponse>(), NetworkConfiguration(server.url), way
            ).get()
            XCTAssertEqual(response.redirects, [], "\(way)")
        }
    }

    func testARefusedRedirectKnowsThoseBeforeIt() async throws {
        for way in HostileBehavior.Way.allCases {
            let server = try LoopbackServer { request in
                .redirect(to: request.path == "/ask" ? "/next" : "ftp://a.example/x")
            }
            let result = await HostileBehavior.run(Ask<NetworkResponse>(), NetworkConfiguration(server.url), way)
            XCTAssertThrowsError(try result.get()) { error in
                let response = (error as? NetworkError)?.response
                XCTAssertEqual(response?.redirects.map(\.url.path), ["/ask"], "\(way)")
            }
        }
    }

    /// The driver doesn't wait for it, whatever the transport does.
    func testARefusedRedirectHasNoBody() async {
        let transport = CannedTransport(status: 302, headers: ["Location": "https://other.example/"], body: "moved")
        let network = NetworkConfiguration(transport, options: RequestOptions(redirects: .sameOrigin()))
        let error = await network.failure(of: Ask<Data>())
        XCTAssertEqual(error?.response?.body, Data())
    }

    // MARK: Cookies

    func testALoopThatSetsCookiesWithoutACookieStoreIsALoop() async throws {
        let server = try LoopbackServer { request in
            .status(302, headers: ["Location": request.target == "/ask" ? "/via" : "/ask", "Set-Cookie": "seen=1"])
        }
        for way in [HostileBehavior.Way.value, .dataTask] {
            let text = await run(server, way)
            XCTAssertEqual(text, "redirect: loop", "\(way)")
        }
        XCTAssertEqual(server.requests.count, 4)
    }

    /// A cookie may change the response of the same URL, whether that URL or one after it sets the cookie.
    func testARedirectThatSetsACookieIsNoLoop() async throws {
        for place in ["/ask", "/via"] {
            let server = try LoopbackServer { request in
                if request.target == "/via" { return .redirect(to: "/ask") }
                return request.header("Cookie") == "seen=1"
                    ? .text("seen") : .status(302, headers: ["Location": place, "Set-Cookie": "seen=1"])
            }
            let storage = URLSessionConfiguration.ephemeral.httpCookieStorage
            for way in [HostileBehavior.Way.value, .dataTask] {
                storage?.removeCookies(since: .distantPast)
                let text = await run(server, way, cookies: storage)
                XCTAssertEqual(text, "200 seen", "\(place), \(way)")
            }
        }
    }

    private func run(
        _ server: LoopbackServer, _ way: HostileBehavior.Way, cookies: HTTPCookieStorage? = nil
    ) async -> String {
        var configuration = NetworkConfiguration(server.url)
        configuration.cookies = cookies
        return await HostileBehavior.text(of: HostileBehavior.run(Ask<NetworkResponse>(), configuration, way))
    }

    // MARK: Fields with several lines

    private let transports: [any NetworkTransport] = [URLSessionTransport(), HostileBehavior.curl]

    /// The two lines joined are a URL, but of no one.
    func testTwoLocationsAreRefused() async throws {
        for transport in transports {
            for (second, outcome) in [("/there", "refused"), ("/here", "/here")] {
                var headers: HTTPHeaders = ["Location": "/here"]
                headers.add("Location", second)
                let server = try LoopbackServer { [headers] request in
                    request.target == "/ask" ? .status(302, headers: headers) : .text(request.target)
                }
                var network = NetworkConfiguration(server.url)
                network.transport = transport
                let name = "\(type(of: transport)), \(second)"
                do throws(NetworkError) {
                    let body = try await NetworkManager(network).value(for: Ask<String>())
                    XCTAssertEqual(body, outcome, name)
                } catch {
                    guard case .redirectRefused(let refusal) = error else { return XCTFail("\(name): \(error)") }
                    XCTAssertEqual(refusal.reason, .badLocation, name)
                    XCTAssertEqual(outcome, "refused", name)
                    XCTAssertEqual(server.requests.count, 1, name)
                }
            }
        }
    }

    func testCookiesGoOutInTheOrderOfTheirLines() async throws {
        for transport in transports {
            let server = try LoopbackServer { request in
                if request.target != "/ask" { return .text(request.header("Cookie") ?? "none") }
                var headers: HTTPHeaders = ["Location": "/next"]
                for cookie in ["b=1", "a=2; Path=/", "c=3", "b=4"] { headers.add("Set-Cookie", cookie) }
                return .status(302, headers: headers)
            }
            var network = NetworkConfiguration(server.url)
            network.transport = transport
            network.cookies = URLSessionConfiguration.ephemeral.httpCookieStorage
            let sent = try await NetworkManager(network).value(for: Ask<String>())
            XCTAssertEqual(sent, "b=4; a=2; c=3", "\(type(of: transport))")
        }
    }
}
