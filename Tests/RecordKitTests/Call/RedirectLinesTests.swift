import Foundation
import RecordKit
import RecordKitTesting
import TestSupport
import XCTest

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Fields with several lines, over both transports.
final class RedirectLinesTests: TimedTestCase {
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
