import Foundation
import RecordKit
import RecordKitInterceptors
import RecordKitTesting
import TestSupport
import XCTest

/// Logging as the first interceptor. The sensitive values are added after it.
final class OutermostLoggingTests: TimedTestCase {
    func testTheNameOfACredentialIsSensitiveInTheResponse() async {
        let book = LogBook()
        let body = #"{"x-till": "s3cret"}"#
        let headers: HTTPHeaders = ["Content-Type": "application/json", "X-Till": "s3cret"]
        let interceptors: [any NetworkInterceptor] = [
            LoggingInterceptor(to: book, level: .trace),
            AuthorizationInterceptor(.header("X-Till", "key"), for: "https://store.example"),
        ]
        let transport = CannedTransport(.answer(200, headers, body: body))
        _ = await NetworkSession(NetworkConfiguration(transport, interceptors, clock: ManualClock())).outcome(of: Ask())
        XCTAssertTrue(book.messages[1].contains("\n  X-Till: redacted\n"), book.messages[1])
        XCTAssertTrue(book.messages[1].hasSuffix(#"{"x-till": "redacted"}"#), book.messages[1])
    }

    func testADeadlineThatPassesWhileARetryWaitsIsNoCancellation() async throws {
        let (book, clock, isWaiting) = (LogBook(), ManualClock(), ResponseGate())
        let wait = ConnectionWait { (_) async throws(NetworkError) in
            isWaiting.open()
            do { try await ResponseGate().wait() } catch { throw .cancelled }
        }
        let network = NetworkConfiguration(
            CannedTransport(.fail(.refused)), [LoggingInterceptor(to: book), RetryInterceptor(connectionWait: wait)],
            clock: clock,
            options: RequestOptions(deadline: .seconds(30)))
        let call = Task { await NetworkSession(network).outcome(of: Ask()) }
        await until { isWaiting.isOpen }
        clock.advance(by: .seconds(30))
        _ = await call.value
        // The caller gets its error before the interceptors do.
        await until { !book.entries.isEmpty }
        XCTAssertEqual(book.entries.map(\.level), [.error])
        XCTAssertTrue(book.messages[0].contains(" was not done within "), book.messages[0])
    }
}
