import Foundation
import RecordKit
import RecordKitTesting
import XCTest

/// Logging as the first of the interceptors: what is secret is added behind it.
final class OutermostLoggingTests: XCTestCase {
    private let secret = "planted-s3cret"

    /// What is written when the server answers so, the secret in the place of `%`.
    private func log(_ credential: (String) -> Credential, _ answers: String..., behind: [any NetworkInterceptor] = [])
        async -> String
    {
        let book = LogBook()
        let answer = answers[0].replacing("%", with: secret)
        let transport = CannedTransport { call throws(NetworkError) in
            NetworkResponse(
                statusCode: 400, headers: ["Content-Type": answers[1], "X-Echo": answer], body: Data(answer.utf8),
                url: call.url)
        }
        let authorization = Authorization(credential(secret), for: "https://store.example")
        let interceptors: [any NetworkInterceptor] = [Logging(to: book, level: .trace)] + behind + [authorization]
        _ = await NetworkConfiguration(transport, interceptors, clock: ManualClock()).outcome(of: Ask())
        return book.messages.joined(separator: "\n")
    }

    func testACredentialThatComesBackIsRedacted() async {
        let credentials: [(String) -> Credential] = [
            { .bearer($0) }, { .header("X-Till", $0) }, { .query("till", $0) },
        ]
        for credential in credentials {
            let text = await log(credential, "you sent %", "text/plain")
            XCTAssertTrue(text.hasSuffix("you sent redacted"), text)
            XCTAssertFalse(text.contains(secret), text)
        }
    }

    func testAFieldOfABodyWithTheNameOfACredentialIsRedacted() async {
        let text = await log({ _ in .header("X-Till", "other") }, #"{"x-till": "%"}"#, "application/json")
        XCTAssertTrue(text.hasSuffix(#"{"x-till": "redacted"}"#), text)
    }

    func testTheTokenOfARefusedAttemptIsRedacted() async {
        let book = LogBook()
        let tokens = TokenSource(store: MemoryCredentialStore(Token(secret))) { _ in throw CocoaError(.userCancelled) }
        let transport = CannedTransport { call throws(NetworkError) in
            let echo = #"{"title": "no", "detail": "\#(call.headers["Authorization"] ?? "") is unknown"}"#
            return NetworkResponse(
                statusCode: 400, headers: ["Content-Type": "application/problem+json"], body: Data(echo.utf8),
                url: call.url)
        }
        let interceptors: [any NetworkInterceptor] = [
            Logging(to: book), Strict(), Authorization(tokens, for: "https://store.example"),
        ]
        _ = await NetworkConfiguration(transport, interceptors, clock: ManualClock()).outcome(of: Ask())
        XCTAssertTrue(book.messages[0].contains("redacted is unknown"), book.messages[0])
        XCTAssertFalse(book.messages[0].contains(secret), book.messages[0])
    }

    func testADeadlineThatPassesWhileARetryWaitsIsNoCancellation() async throws {
        let (book, clock, isWaiting) = (LogBook(), ManualClock(), AnswerGate())
        let wait = ConnectionWait { (_) async throws(NetworkError) in
            isWaiting.open()
            do { try await AnswerGate().wait() } catch { throw .cancelled }
        }
        let network = NetworkConfiguration(
            CannedTransport(.fail(.refused)), [Logging(to: book), Retry(connectionWait: wait)], clock: clock,
            options: RequestOptions(deadline: .seconds(30)))
        let call = Task { await network.outcome(of: Ask()) }
        try await isWaiting.wait()
        await clock.sleepers(1)
        clock.advance(by: .seconds(30))
        _ = await call.value
        XCTAssertEqual(book.entries.map(\.level), [.error])
        XCTAssertTrue(book.messages[0].contains(" was not done within "), book.messages[0])
    }

    func testACallThatJoinedAnotherKnowsItsCredentialToo() async {
        let (book, gate, spy) = (LogBook(), AnswerGate(), CallSpy())
        let transport = CannedTransport { [secret] call throws(NetworkError) in
            do { try await gate.wait() } catch { throw .cancelled }
            return NetworkResponse(
                statusCode: 200, headers: ["Content-Type": "text/plain"], body: Data("you sent \(secret)".utf8),
                url: call.url)
        }
        let interceptors: [any NetworkInterceptor] = [
            Logging(to: book, level: .trace), spy, Authorization(.bearer(secret), for: "https://store.example"),
            SingleFlight(),
        ]
        let network = NetworkConfiguration(transport, interceptors, clock: ManualClock())
        let calls = (0..<2).map { _ in Task { await network.outcome(of: Ask()) } }
        while spy.count(of: .joined) < 1 { await Task.yield() }
        gate.open()
        for call in calls { _ = await call.value }
        XCTAssertFalse(book.messages.contains { $0.contains(secret) }, "\(book.messages)")
    }
}

/// Makes an error of a refused status.
private struct Strict: NetworkInterceptor {
    func intercept(_ call: NetworkCall, next: NetworkCall.Next) async throws(NetworkError) -> NetworkResponse {
        let response = try await next(call)
        if response.isSuccess { return response }
        throw .status(response)
    }
}
