import RecordKit
import RecordKitInterceptors
import RecordKitTesting
import TestSupport
import XCTest

/// The calls left in a server's window over time.
final class ServerWindowTests: TimedTestCase {
    private let clock = ManualClock()
    private let rateLimit = RateLimitInterceptor()

    private func network(_ transport: CannedTransport) -> NetworkConfiguration {
        NetworkConfiguration(transport, [rateLimit], clock: clock)
    }

    private func allowance(_ rateLimit: RateLimitInterceptor) -> RateLimitInterceptor.Allowance {
        let url = URLComponents(string: "https://store.example/ask")?.url ?? URL(filePath: "/")
        return rateLimit.allowance(for: url, clock: clock.networkClock)
    }

    func testAServerWithoutFurtherLimitsDelaysNoCall() async {
        for limit in ["2", "0"] {
            let rateLimit = RateLimitInterceptor()
            let headers: HTTPHeaders = ["RateLimit-Limit": limit, "RateLimit-Remaining": "0", "RateLimit-Reset": "30"]
            let transport = CannedTransport(.answer(429, headers), .fail(.refused), .answer(200))
            let network = NetworkConfiguration(transport, [rateLimit], clock: clock)
            _ = await NetworkSession(network).status()
            clock.advance(by: .seconds(31))
            for _ in 0..<6 {
                XCTAssertEqual(allowance(rateLimit).wait, .zero, "a limit of \(limit)")
                _ = await NetworkSession(network).outcome(
                    of: Ask(options: RequestOptions(deadline: .milliseconds(500))))
            }
        }
    }

    func testARestTakesNothingFromAWindowThatMoves() async {
        let headers: HTTPHeaders = ["X-Discogs-Ratelimit": "60", "X-Discogs-Ratelimit-Remaining": "40"]
        _ = await NetworkSession(network(CannedTransport(.answer(200, headers)))).status()
        XCTAssertEqual(allowance(rateLimit).remaining, 40)
        clock.advance(by: .seconds(5))
        XCTAssertEqual(allowance(rateLimit).remaining, 40)
    }

    func testLimitsOfAnotherOriginBehindARedirectDoNotApply() async throws {
        let elsewhere = try XCTUnwrap(URL(string: "https://files.example/ask"))
        let headers: HTTPHeaders = ["Retry-After": "50", "RateLimit-Remaining": "0", "RateLimit-Reset": "40"]
        let transport = CannedTransport { _ throws(NetworkError) in
            NetworkResponse(statusCode: 503, headers: headers, url: elsewhere)
        }
        _ = await NetworkSession(network(transport)).status()
        XCTAssertEqual(allowance(rateLimit).wait, .zero)
        XCTAssertNil(allowance(rateLimit).remaining)
    }

    func testTheLongestWaitHoldsForAllOfTheWaiting() async {
        let gate = ResponseGate()
        let transport = CannedTransport { call throws(NetworkError) in
            if call.url.path() == "/slow" { do { try await gate.wait() } catch { throw .cancelled } }
            return NetworkResponse(statusCode: 503, headers: ["Retry-After": "40"], url: call.url)
        }
        let network = network(transport)
        let slow = Task { await NetworkSession(network).status(of: Ask(path: "slow")) }
        await until { !transport.calls.isEmpty }
        _ = await NetworkSession(network).status()
        let waiting = Task { await NetworkSession(network).outcome(of: Ask()) }
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(39))
        // 40 seconds later, 79 in total.
        gate.open()
        _ = await slow.value
        clock.advance(by: .seconds(1))
        guard case .failure(.interceptor) = await waiting.value else { return XCTFail("waited on") }
        XCTAssertEqual(transport.calls.count, 2)
    }

    func testACallThatDidNotReachTheServerLeavesItsWindow() async {
        let headers: HTTPHeaders = ["RateLimit-Limit": "60", "RateLimit-Remaining": "40", "RateLimit-Reset": "3000"]
        let network = network(
            CannedTransport(.answer(200, headers), .fail(.refused), .fail(.lost), .answer(200, headers)))
        var left: [Int?] = []
        for _ in 0..<4 {
            _ = await NetworkSession(network).status()
            left.append(allowance(rateLimit).remaining)
        }
        // Without other calls in flight, the server's number counts.
        XCTAssertEqual(left, [40, 40, 39, 40])
    }

    func testTheRemainingCallsAreReadFromARefusedResponse() async {
        let headers: HTTPHeaders = ["RateLimit-Remaining": "0", "RateLimit-Reset": "30", "Content-Type": "text/html"]
        let network = network(CannedTransport(.answer(200, headers, body: "<p>")))
        _ = await NetworkSession(network).outcome(of: Ask(options: RequestOptions(expectedType: "application/json")))
        XCTAssertEqual(allowance(rateLimit).wait, .seconds(30))
    }

    func testOfAWindowThatNothingIsKnownOfOneCallFindsOut() async {
        let gate = ResponseGate()
        let headers: HTTPHeaders = ["RateLimit-Remaining": "0", "RateLimit-Reset": "30"]
        let transport = CannedTransport { call throws(NetworkError) in
            if call.url.path() == "/first" { return NetworkResponse(statusCode: 200, headers: headers, url: call.url) }
            do { try await gate.wait() } catch { throw .cancelled }
            return NetworkResponse(statusCode: 200, url: call.url)
        }
        let network = network(transport)
        _ = await NetworkSession(network).status(of: Ask(path: "first"))
        let calls = (0..<4).map { _ in Task { await NetworkSession(network).status() } }
        await until { allowance(rateLimit).waiting >= 4 }
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(30))
        // The next call sleeps until the first response arrives, perhaps before the first call is sent.
        await clock.waitForSleepers(1)
        await until { transport.calls.count >= 2 }
        XCTAssertEqual(transport.calls.count, 2)
        gate.open()
        for call in calls { assertEqual(await call.value, 200) }
    }
}
