import RecordKit
import RecordKitInterceptors
import RecordKitTesting
import TestSupport
import XCTest

final class RetryWaitTests: TimedTestCase {
    /// Returns the wait before the second attempt after a response with a header, or `nil` if there is no second
    /// attempt.
    ///
    /// The date is Sunday, November 6, 1994, 08:49:37, unless another one is passed.
    private func wait(
        _ headers: HTTPHeaders, _ retry: RetryInterceptor = RetryInterceptor(), at date: Double = 784_111_777
    ) async -> Duration? {
        let clock = ManualClock(date: Date(timeIntervalSince1970: date), advancesItself: true)
        let transport = CannedTransport(.answer(503, headers), .answer(200))
        _ = await NetworkSession(NetworkConfiguration(transport, [retry], clock: clock)).status()
        return clock.sleeps.first
    }

    func testTheWaitIsDrawnFromAShareThatDoubles() async {
        let clock = ManualClock(advancesItself: true)
        let retry = RetryInterceptor(
            attempts: 8, backoff: Backoff(base: .seconds(1), longestBackoff: .seconds(20), random: { 0.5 }), budget: nil
        )
        let status = await NetworkSession(NetworkConfiguration(CannedTransport(.answer(503)), [retry], clock: clock))
            .status()
        XCTAssertEqual(status, 503)
        XCTAssertEqual(clock.sleeps, [0.5, 1, 2, 4, 8, 10, 10].map { .seconds($0) })
    }

    func testTheWaitIsNeverShorterThanTheFloor() async {
        for random in [0, -1, 1.5, Double.nan, .infinity] {
            let wait = await wait(
                [:], RetryInterceptor(backoff: Backoff(shortestWait: .milliseconds(50), random: { random })))
            XCTAssertEqual(wait, .milliseconds(50), "\(random)")
        }
        assertEqual(
            await wait(["Retry-After": "0"], RetryInterceptor(backoff: Backoff(shortestWait: .seconds(2)))), .seconds(2)
        )
    }

    func testAServerNamesTheTime() async {
        let waits: [(HTTPHeaders, Double)] = [
            (["Retry-After": "2"], 2), (["Retry-After": "2, 3"], 2), (["retry-after": "1.5"], 1.5),
            (["Retry-After": "Sun, 06 Nov 1994 08:49:47 GMT"], 10),
            (["Retry-After": "Sunday, 06-Nov-94 08:49:48 GMT"], 11),
            (["Retry-After": "Sun, 06 Nov 1994 08:49:47 GMT, Sun, 06 Nov 1994 08:49:59 GMT"], 10),
            (["Retry-After": "Sun Nov  6 08:49:49 1994"], 12),
            // By the clock of the server.
            (["Date": "Sun, 06 Nov 1994 10:00:00 GMT", "Retry-After": "Sun, 06 Nov 1994 10:00:03 GMT"], 3),
            // It has passed, so the floor counts.
            (["Retry-After": "Sat, 05 Nov 1994 10:00:03 GMT"], 0.1),
            (["Retry-After": "7", "RateLimit-Reset": "3"], 7),
            (["RateLimit-Reset": "3"], 3),
            (["RateLimit-Remaining": "0", "RateLimit-Reset": "4"], 4),
            (["RateLimit": "limit=10, remaining=0, reset=8"], 8),
            (["RateLimit": "\"day\";r=90;t=3600, \"burst\";r=0;t=9"], 9),
        ]
        for (headers, seconds) in waits { assertEqual(await wait(headers), .seconds(seconds), "\(headers)") }
    }

    func testAServerNamesTheTimeOfARefusalThatAnotherInterceptorMadeAnErrorOf() async {
        struct Refusing: NetworkInterceptor {
            func intercept(_ call: NetworkCall, next: NetworkCall.Next) async throws(NetworkError) -> NetworkResponse {
                let response = try await next(call)
                if response.statusCode >= 400 { throw .status(response) }
                return response
            }
        }
        let clock = ManualClock(advancesItself: true)
        let transport = CannedTransport(.answer(503, ["Retry-After": "7"]), .answer(200))
        assertEqual(await NetworkSession(transport, [RetryInterceptor(), Refusing()], clock: clock).status(), 200)
        XCTAssertEqual(clock.sleeps, [.seconds(7)])
    }

    func testAResetMayBeAMomentInSecondsOrMillisecondsSince1970() async {
        for reset in ["1784111782", "1784111782000"] {
            let headers: HTTPHeaders = ["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": reset]
            assertEqual(await wait(headers, at: 1_784_111_777), .seconds(5))
        }
    }

    func testAnInvalidTimeIsLeftToTheBackoff() async {
        let retry = RetryInterceptor(backoff: Backoff(base: .seconds(4), random: { 0.5 }))
        for value in ["soon", "-5", "inf", "nan", "0x10", "", "1e3"] {
            assertEqual(await wait(["Retry-After": value], retry), .seconds(2), value)
        }
        assertEqual(await wait(["RateLimit-Remaining": "3", "RateLimit-Reset": "30"], retry), .seconds(2))
    }

    func testALongerTimeThanTheCeilingIsNotWaitedFor() async {
        for time in ["61", "1000000000", "999999999999", "99999999999999999999999999"] {
            assertNil(await wait(["Retry-After": time]), time)
        }
        assertEqual(await wait(["Retry-After": "60"]), .seconds(60))
    }

    func testARetryPastTheDeadlineEndsTheCallAtOnceWithWhatItHas() async throws {
        let clock = ManualClock()
        let transport = CannedTransport(.answer(503, ["Retry-After": "10"], body: "down"))
        let network = NetworkConfiguration(
            transport, [RetryInterceptor()], clock: clock, options: RequestOptions(deadline: .seconds(10)))
        assertEqual(try await NetworkSession(network).outcome(of: Ask()).get().body, Data("down".utf8))
        XCTAssertEqual(clock.now, .zero)

        let failing = NetworkConfiguration(
            CannedTransport(.fail(.lost)), [RetryInterceptor(backoff: Backoff(shortestWait: .seconds(11)))],
            clock: clock,
            options: RequestOptions(deadline: .seconds(10)))
        guard case .failure(.connection(let lost)) = await NetworkSession(failing).outcome(of: Ask()) else {
            return XCTFail("no error")
        }
        XCTAssertEqual(lost.kind, .lost)
        XCTAssertEqual(clock.now, .zero)
    }

    func testARetryWithinTheDeadlineIsMade() async {
        let clock = ManualClock()
        let transport = CannedTransport(.answer(503, ["Retry-After": "9"]), .answer(200))
        let network = NetworkConfiguration(
            transport, [RetryInterceptor()], clock: clock, options: RequestOptions(deadline: .seconds(10)))
        async let status = NetworkSession(network).status()
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(9))
        assertEqual(await status, 200)
    }

    func testAPauseOutsideOfACall() throws {
        let url = URL(filePath: "/")
        func response(_ headers: HTTPHeaders) -> NetworkResponse {
            NetworkResponse(statusCode: 503, headers: headers, url: url)
        }
        let backoff = Backoff(base: .seconds(1), longestBackoff: .seconds(300), random: { 0.5 })
        let pauses: [(NetworkResponse?, attempt: Int, Double?)] = [
            (nil, 1, 0.5), (nil, 3, 2), (nil, .max, 150), (nil, .min, 0.5), (response([:]), 2, 1),
            (response(["Retry-After": "7"]), 3, 7), (response(["Retry-After": "61"]), 1, nil),
            (response(["Retry-After": "Sun, 06 Nov 1994 08:49:47 GMT"]), 1, 10),
        ]
        let now = Date(timeIntervalSince1970: 784_111_777)
        for (response, attempt, seconds) in pauses {
            let pause = backoff.pause(after: response, attempt: attempt, now: now)
            XCTAssertEqual(pause, seconds.map { .seconds($0) }, "\(attempt)")
        }
    }

    func testTimesThatAreNoneAreTakenForNone() async {
        let clock = ManualClock(advancesItself: true)
        for (base, wait) in [(Duration.seconds(-1), Duration.zero), (.seconds(Int64.max), .seconds(366 * 86_400))] {
            let backoff = Backoff(
                base: base, longestBackoff: base, shortestWait: base, longestWait: base, random: { 0.5 })
            XCTAssertEqual(backoff.pause(after: nil, attempt: 300), wait)
            let retry = RetryInterceptor(attempts: 300, backoff: backoff, budget: nil)
            assertEqual(await NetworkSession(CannedTransport(.answer(503)), [retry], clock: clock).status(), 503)
        }
    }
}
