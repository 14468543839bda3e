import Foundation
import RecordKit
import RecordKitInterceptors
import RecordKitTesting
import TestSupport
import XCTest

/// Calls that the server rejects for one reason after another.
final class MixedRefusalsTests: TimedTestCase {
    private func check(
        _ order: (RetryInterceptor, AuthorizationInterceptor, LoggingInterceptor) -> [any NetworkInterceptor],
        _ name: String
    ) async {
        let (book, stories, clock) = (LogBook(), TimelineBook(), ManualClock(advancesItself: true))
        let transport = CannedTransport(
            .answer(429, ["Retry-After": "2"]), .answer(503, ["Retry-After": "0"]), .answer(401), .answer(200))
        let tokens = TokenSource(store: MemoryCredentialStore(AccessToken("old"))) { _ in AccessToken("new") }
        var network = NetworkConfiguration(
            transport,
            order(
                RetryInterceptor(idempotencyKey: RetryInterceptor.randomKey),
                AuthorizationInterceptor(tokens, for: "https://store.example"),
                LoggingInterceptor(to: book)), clock: clock)
        network.observers = [stories.observer]
        let status = await NetworkSession(network).status(of: Ask(method: .post, content: "x"))
        XCTAssertEqual(status, 200, name)
        XCTAssertEqual(transport.calls.map(\.attempt), [1, 2, 3, 4], name)
        XCTAssertEqual(Set(transport.calls.map { $0.headers["Idempotency-Key"] }).count, 1, name)
        XCTAssertEqual(transport.calls.map { $0.headers["Authorization"] }.last, "Bearer new", name)
        let attempts = stories.timelines[0].events.filter { $0.kind == .attempt }
        XCTAssertEqual(attempts.map(\.attempt), [1, 2, 3, 4], name)
        XCTAssertEqual(attempts.map(\.status), [429, 503, 401, 200], name)
        if book.messages.count > 1 {
            XCTAssertTrue(book.messages[3].contains("(attempt 4): 200"), "\(book.messages)")
        }
    }

    func testIsSentUntilItIsDoneInEveryOrder() async {
        await check({ [$0, $1, $2] }, "retry, sign-in, log")
        await check({ [$1, $0, $2] }, "sign-in, retry, log")
        await check({ [$2, $0, $1] }, "log, retry, sign-in")
        await check(
            { [$2, $1, $0, SingleFlightInterceptor(), RateLimitInterceptor(), TracingInterceptor()] },
            "log, sign-in, retry")
        await check({ [$0, $1, SingleFlightInterceptor(), RateLimitInterceptor(), TracingInterceptor(), $2] }, "all")
        await check(
            { [RetryInterceptor(attempts: 2, idempotencyKey: RetryInterceptor.randomKey), $0, $1, $2] }, "retry twice")
    }
}
