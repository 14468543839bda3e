import RecordKitTesting
import TestSupport
import XCTest

@testable import RecordKit

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

final class NetworkCallTests: TimedTestCase {
    private let clock = ManualClock()

    private func call(deadline: Duration? = nil) throws -> NetworkCall {
        NetworkCall(
            url: try XCTUnwrap(URL(string: "https://store.example/ask")), options: RequestOptions(deadline: deadline),
            clock: clock.networkClock)
    }

    /// A call is kept in many frames, so it is small, and its copies share their members until one is changed.
    func testACopyHasItsOwnMembersOnceItIsChanged() throws {
        XCTAssertLessThanOrEqual(MemoryLayout<NetworkCall>.size, 64)
        let call = try call()
        let other = try XCTUnwrap(URL(string: "http://other.example/b"))
        let changes: [(inout NetworkCall) -> Void] = [
            { $0.url = other }, { $0.method = .put }, { $0.headers["A"] = "1" }, { $0.headers.add("A", "2") },
            { $0.body = EncodedBody(Data("x".utf8), contentType: "text/plain") },
            { $0.options.timeout = .seconds(1) }, { $0.delivery = .streamed }, { $0.startTime = .seconds(9) },
            { $0.onProgress = { _ in } }, { $0 = $0.nextAttempt() },
        ]
        func shown(_ call: NetworkCall) -> String {
            "\(call.url) \(call.origin) \(call.method) \(call.headers.map(\.value)) \(call.body?.length as Any) "
                + "\(call.options.timeout as Any) \(call.delivery) \(call.startTime) \(call.onProgress != nil) "
                + "\(call.attempt)"
        }
        let before = shown(call)
        for (number, change) in changes.enumerated() {
            var copy = call
            change(&copy)
            XCTAssertNotEqual(shown(copy), before, "\(number)")
            XCTAssertEqual(shown(call), before, "\(number)")
            XCTAssertEqual(copy.id, call.id)
        }
        var copy = call
        copy.url = other
        XCTAssertEqual(copy.origin, URLOrigin(other))
    }

    func testAValueIsMadeOnceForEachKey() throws {
        let call = try call()
        enum One: CallKey { typealias Value = String }
        enum Other: CallKey { typealias Value = Int }
        XCTAssertEqual(call.shared(One.self) { "1" }, "1")
        XCTAssertEqual(call.shared(Other.self) { 2 }, 2)
        XCTAssertEqual(call.nextAttempt().shared(One.self) { "3" }, "1")
    }

    func testASleepEndsAtTheDeadlineWhenThatComesFirst() async throws {
        let call = try call(deadline: .seconds(5))
        let late = Task { await networkError { try await call.sleep(for: .seconds(9)) } }
        let punctual = Task { await networkError { try await call.sleep(for: .seconds(5)) } }
        await clock.waitForSleepers(2)
        clock.advance(by: .seconds(5))

        guard case .timedOut(let timeout) = await late.value else { return XCTFail("not late") }
        XCTAssertEqual(timeout.limit, .deadline)
        assertNil(await punctual.value)
        XCTAssertEqual(call.timeLeft, .zero)
    }

    func testASleepOfAnyLengthIsTaken() async throws {
        let call = NetworkCall(url: try XCTUnwrap(URL(string: "https://store.example/ask")))
        let longest = Duration(attoseconds: .max)
        let sleep = Task { await networkError { try await call.sleep(for: longest) } }
        sleep.cancel()
        guard case .cancelled = await sleep.value else { return XCTFail("not cancelled") }
    }

    /// URLSession counts whole seconds, and its error does not say which limit has passed.
    func testURLSessionsOwnTimeoutNeverComesFirst() throws {
        var call = try call()
        for timeout in [Duration.milliseconds(1500), .seconds(3600), Duration(attoseconds: .max)] {
            call.options.timeout = timeout
            XCTAssertGreaterThan(URLRequest(call).timeoutInterval, timeout.timeInterval + 1)
        }
    }

    /// A custom transport reports only the end of an attempt.
    func testADeadlineAfterAnAttemptMayHaveReachedTheServer() async throws {
        struct Twice: NetworkInterceptor {
            let clock: ManualClock

            func intercept(_ call: NetworkCall, next: NetworkCall.Next) async throws(NetworkError) -> NetworkResponse {
                _ = try await next(call)
                clock.advance(by: .seconds(5))
                return try await next(call)
            }
        }
        var network = NetworkConfiguration(CannedTransport(), [Twice(clock: clock)], clock: clock)
        network.options.deadline = .seconds(5)
        let configuration = network
        let error = await NetworkSession(configuration).failure(of: Ask<Data>())

        guard case .timedOut(let timeout) = error else { return XCTFail("\(String(describing: error))") }
        XCTAssertTrue(timeout.mayHaveReachedServer)
    }

    func testNothingSecretOfAnAddressThatCannotBeAskedIsPrinted() async throws {
        var call = try call()
        call.url = try XCTUnwrap(URL(string: "ftp://me:s3cret@store.example/?token=s3cret&till=s3cret"))
        call.headers.markSensitive(["till"])
        let refused = call
        let error = await networkError { try await URLSessionTransport().send(refused) }

        guard case .invalidRequest(let invalid) = error else { return XCTFail("\(String(describing: error))") }
        XCTAssertTrue(invalid.reason.contains("store.example"), invalid.reason)
        for text in ["\(invalid)", "\(call)", String(reflecting: call)] {
            XCTAssertFalse(text.contains("s3cret"), text)
        }
        var dumped = ""
        dump(call, to: &dumped)
        XCTAssertFalse(dumped.contains("s3cret"), dumped)
    }
}
