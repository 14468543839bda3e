import Foundation
import RecordKit
import RecordKitTesting
import TestSupport
import XCTest

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

final class RedirectCookieTests: TimedTestCase {
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
}
