import Foundation
import RecordKit
import RecordKitTesting
import TestSupport
import XCTest

/// Tests of ``NetworkResponse/redirects``.
final class RedirectHopsTests: TimedTestCase {
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
}
