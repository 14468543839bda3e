import RecordKit
import RecordKitTesting
import TestSupport
import XCTest

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

final class RedirectedResponseTests: TimedTestCase {
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
                response.redirects.map(\.absoluteString),
                ["\(server.url)/ask", "\(server.url)/next"], "\(way)")
            XCTAssertEqual(response.url, other.url.appending(path: "x"), "\(way)")
        }
    }

    func testARefusedRedirectKnowsThoseBeforeIt() async throws {
        for way in HostileBehavior.Way.allCases {
            let server = try LoopbackServer { request in
                .redirect(to: request.path == "/ask" ? "/next" : "ftp://a.example/x")
            }
            let result = await HostileBehavior.run(Ask<NetworkResponse>(), NetworkConfiguration(server.url), way)
            XCTAssertThrowsError(try result.get()) { error in
                XCTAssertEqual((error as? NetworkError)?.response?.redirects.map(\.path), ["/ask"], "\(way)")
            }
        }
    }

    /// The driver doesn't wait for it, whatever the transport does.
    func testARefusedRedirectHasNoBody() async {
        let transport = CannedTransport(status: 302, headers: ["Location": "https://other.example/"], body: "moved")
        let network = NetworkConfiguration(transport, options: RequestOptions(redirects: .sameOrigin()))
        assertEqual(await network.failure(of: Ask<Data>())?.response?.body, Data())
    }

    // MARK: Cookies

    func testALoopThatSetsCookiesWithoutACookieStoreIsALoop() async throws {
        let server = try LoopbackServer { request in
            .status(302, headers: ["Location": request.target == "/ask" ? "/via" : "/ask", "Set-Cookie": "seen=1"])
        }
        for way in [HostileBehavior.Way.value, .dataTask] {
            assertEqual(await run(server, way), "redirect: loop", "\(way)")
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
                assertEqual(await run(server, way, cookies: storage), "200 seen", "\(place), \(way)")
            }
        }
    }

    private func run(
        _ server: LoopbackServer, _ way: HostileBehavior.Way, cookies: HTTPCookieStorage? = nil
    ) async -> String {
        var configuration = NetworkConfiguration(server.url)
        configuration.cookies = cookies
        return await way.outcome(configuration)
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
                let network = NetworkConfiguration(server.url, transport: transport)
                let name = "\(type(of: transport)), \(second)"
                do throws(NetworkError) {
                    assertEqual(try await NetworkManager(network).value(for: Ask<String>()), outcome, name)
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
            var network = NetworkConfiguration(server.url, transport: transport)
            network.cookies = URLSessionConfiguration.ephemeral.httpCookieStorage
            let sent = try await NetworkManager(network).value(for: Ask<String>())
            XCTAssertEqual(sent, "b=4; a=2; c=3", "\(type(of: transport))")
        }
    }
}
