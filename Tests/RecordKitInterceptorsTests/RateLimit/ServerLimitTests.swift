import RecordKit
@testable import RecordKitInterceptors
import RecordKitTesting
import TestSupport
import XCTest

final class ServerLimitTests: TimedTestCase {
    private let clock = ManualClock()
    private let url = URLComponents(string: "https://store.example/ask")?.url ?? URL(filePath: "/")

    /// Returns the wait of the call after a response.
    private func wait(after status: Int, _ headers: HTTPHeaders) async -> Duration {
        let rateLimit = RateLimitInterceptor()
        let network = NetworkConfiguration(CannedTransport(.answer(status, headers)), [rateLimit], clock: clock)
        _ = await NetworkSession(network).status()
        return allowance(rateLimit).wait
    }

    private func allowance(_ rateLimit: RateLimitInterceptor) -> RateLimitInterceptor.Allowance {
        rateLimit.allowance(for: url, clock: clock.networkClock)
    }

    func testWaitsFollowTheFieldsOfTheServer() async {
        let waits: [(Int, HTTPHeaders, Double)] = [
            (200, [:], 0), (429, ["Retry-After": "7"], 7), (503, ["Retry-After": "7"], 7),
            (201, ["Retry-After": "7"], 0), (200, ["Backoff": "30"], 30), (200, ["Backoff": "30, 40"], 30),
            (200, ["Backoff": "9999"], 60), (200, ["RateLimit-Remaining": "0", "RateLimit-Reset": "8"], 8),
            (200, ["RateLimit-Remaining": "1", "RateLimit-Reset": "8"], 0),
            (200, ["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1000000009"], 9),
            (200, ["RateLimit": "\"a\";r=5;t=99, \"b\";r=0;t=12"], 12),
            (200, ["RateLimit": "limit=10, remaining=0, reset=13"], 13),
            (200, ["X-Discogs-Ratelimit": "60", "X-Discogs-Ratelimit-Remaining": "0"], 1),
            (200, ["X-Discogs-Ratelimit": "25", "X-Discogs-Ratelimit-Remaining": "0"], 2.4),
            (200, ["X-Discogs-Ratelimit": "60", "X-Discogs-Ratelimit-Remaining": "3"], 0),
            (200, ["RateLimit-Remaining": "0", "RateLimit-Reset": "999999999"], 3600),
            (200, ["RateLimit-Remaining": "-1", "RateLimit-Reset": "x"], 0),
            (200, ["RateLimit": "burst;r=0;t=14, day;r=900;t=3600"], 14),
            (200, ["RateLimit": "\"burst\";r=0;t=5, \"day\";r=0;t=50, \"year\";r=7;t=500"], 50),
            (200, ["RateLimit": "\"a, b;r=0\";r=5;t=99"], 0), (200, ["RateLimit": #""a\"b";r=0;t=15"#], 15),
            (200, ["RateLimit": #""a\", r=0;t=15, \"b";r=5;t=99"#], 0),
            (200, ["RateLimit": #""a=b";r=0;t=15, "c\\";r=5;t=99"#], 15), (200, ["RateLimit": "\"a\";r=0;t=2.5"], 2.5),
            // What isn't a valid field isn't read.
            (200, ["RateLimit": "\"a\";r=0;t=99,"], 0),
            (200, ["RateLimit": "\"a\";r=0; t =99"], 0),
            (200, ["RateLimit": "\"a\";r=0;t=99, \"b"], 0),
            (200, ["RateLimit": "limit=10, remaining=0, reset=99;"], 0),
            (200, ["RateLimit": "\"a\";r=-1;t=99, \"b\";r=7;t=-1"], 0),
            (200, ["RateLimit": "\"a\";r=0;t=9999999999999999"], 0),
            (200, ["RateLimit": "(\"a\" \"b\");r=0;t=99"], 0),
            (200, ["X-RateLimit-Remaining": "0", "X-RateLimit-Reset-After": "6"], 6),
            (200, ["RateLimit-Remaining": "99999999999999999999", "RateLimit-Reset": "8"], 0),
        ]
        for (status, headers, seconds) in waits {
            let wait = await wait(after: status, headers)
            XCTAssertEqual(wait.seconds, seconds, accuracy: 0.001, "\(headers)")
        }
    }

    func testTheRemainingCallsAreSharedAmongThoseInFlight() async throws {
        let gate = ResponseGate()
        let left = Kept(5)
        let transport = CannedTransport { call throws(NetworkError) in
            if call.url.path() != "/first" { do { try await gate.wait() } catch { throw .cancelled } }
            let remaining = left.change { left in
                left -= 1
                return left
            }
            return NetworkResponse(
                statusCode: 200,
                headers: ["RateLimit-Limit": "5", "RateLimit-Remaining": "\(remaining)", "RateLimit-Reset": "30"],
                url: call.url)
        }
        let rateLimit = RateLimitInterceptor()
        let network = NetworkConfiguration(transport, [rateLimit], clock: clock)
        _ = await NetworkSession(network).status(of: Ask(path: "first"))
        XCTAssertEqual(allowance(rateLimit).remaining, 4)

        let ended = Kept(0)
        let calls = (0..<10).map { _ in
            Task {
                let status = await NetworkSession(network).status()
                ended.next()
                return status
            }
        }
        await until { allowance(rateLimit).waiting >= 6 && transport.calls.count >= 5 }
        XCTAssertEqual(transport.calls.count, 5)
        XCTAssertEqual(allowance(rateLimit).remaining, 0)
        gate.open()
        // A response that is read after the window has changed would count for the next window.
        await until { ended.now >= 4 }
        await clock.waitForSleepers(1)
        left.set(5)
        clock.advance(by: .seconds(30))
        // The window has ended, and the next one accepts 5 of the 6.
        await until { ended.now >= 9 }
        XCTAssertEqual(transport.calls.count, 10)
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(30))
        for call in calls { assertEqual(await call.value, 200) }
    }

    func testAResponseWithMoreRemainingEndsTheWaitEarly() async throws {
        let gate = ResponseGate()
        let turns = Kept(1)
        let transport = CannedTransport { call throws(NetworkError) in
            let turn = turns.next()
            if turn == 2 { do { try await gate.wait() } catch { throw .cancelled } }
            let (left, reset) = turn == 1 ? (1, 50) : (9, 100)
            return NetworkResponse(
                statusCode: 200, headers: ["RateLimit-Remaining": "\(left)", "RateLimit-Reset": "\(reset)"],
                url: call.url)
        }
        let rateLimit = RateLimitInterceptor()
        let network = NetworkConfiguration(transport, [rateLimit], clock: clock)
        _ = await NetworkSession(network).status()
        let second = Task { await NetworkSession(network).status() }
        await until { transport.calls.count >= 2 }
        let third = Task { await NetworkSession(network).status() }
        await clock.waitForSleepers(1)
        gate.open()
        assertEqual(await [second.value, third.value], [200, 200])
        XCTAssertEqual(clock.now, .zero)
    }

    func testARetryAndTheRateLimitWaitForTheSameTimeOnce() async {
        let clock = ManualClock(advancesItself: true)
        let transport = CannedTransport(.answer(429, ["Retry-After": "2"]), .answer(200))
        let network = NetworkConfiguration(transport, [RetryInterceptor(), RateLimitInterceptor()], clock: clock)
        assertEqual(await NetworkSession(network).status(), 200)
        XCTAssertEqual(clock.sleeps, [.seconds(2)])
    }

    func testAResponseTellsWhenToRetry() {
        let now = Date(timeIntervalSince1970: 1_000_000_000)
        let waits: [(HTTPHeaders, Duration?)] = [
            ([:], nil), (["Retry-After": "7", "RateLimit-Reset": "9"], .seconds(7)),
            (["Retry-After": "Sun, 09 Sep 2001 01:46:50 GMT"], .seconds(10)),
            (["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1000000009"], .seconds(9)),
            (["X-RateLimit-Remaining": "1", "X-RateLimit-Reset": "1000000009"], nil), (["Retry-After": "soon"], nil),
        ]
        for (headers, wait) in waits {
            let answer = NetworkResponse(statusCode: 429, headers: headers, url: url)
            XCTAssertEqual(answer.retryAfter(now: now), wait, "\(headers)")
        }
    }
}
