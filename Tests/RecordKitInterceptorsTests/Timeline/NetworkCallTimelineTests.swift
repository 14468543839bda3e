import RecordKitTesting
import TestSupport
import XCTest

@testable import RecordKit
import RecordKitInterceptors

/// The timeline of reported events.
final class NetworkCallTimelineTests: TimedTestCase {
    private let clock = ManualClock()
    private let book = TimelineBook()

    /// Returns a call that has begun.
    private func call() throws -> NetworkCall {
        let url = try XCTUnwrap(URL(string: "https://store.example/ask"))
        let call = NetworkCall(url: url, clock: clock.networkClock, observers: [book.observer])
        call.report(.built, since: clock.now)
        return call
    }

    /// Returns the timeline of a call that ends now, without its first and last event.
    private func timeline(of call: NetworkCall) throws -> (events: [NetworkEvent], duration: Duration) {
        call.report(.read, since: clock.now)
        let timeline = try XCTUnwrap(book.timelines.last)
        return (timeline.events.filter { $0.kind != .built && $0.kind != .read }, timeline.duration)
    }

    func testItBeginsWithWhatBeganFirstWhateverEndedFirst() throws {
        let call = try call()
        let outer = call.clock.now()
        clock.advance(by: .seconds(2))
        let inner = call.clock.now()
        clock.advance(by: .seconds(3))
        call.report(.wait, since: inner)
        call.report(NetworkEvent.Kind(rawValue: "other"), since: outer)

        let (events, duration) = try timeline(of: call)
        XCTAssertEqual(events.map(\.kind.rawValue), ["other", "wait"])
        XCTAssertEqual(events.map(\.start), [.zero, .seconds(2)])
        XCTAssertEqual(duration, .seconds(5))
    }

    func testAWaitForASlotThatIsNoWaitIsNotTold() throws {
        for (length, count) in [(Duration.microseconds(99), 0), (.microseconds(100), 1)] {
            let call = try call()
            let start = call.clock.now()
            clock.advance(by: length)
            call.report(.slot, since: start)
            XCTAssertEqual(try timeline(of: call).events.count, count, "\(length)")
        }
    }

    /// An app's interceptor may send a call twice with one attempt number.
    func testTheWaitOfAnEarlierSendingIsNoPartOfTheNext() throws {
        let call = try call()
        for wait in [Duration.seconds(4), .zero] {
            let start = call.clock.now()
            clock.advance(by: wait)
            call.report(NetworkEvent(.slot, start: start, duration: wait, attempt: 1))
            clock.advance(by: .seconds(1))
            call.reportAttempt(since: start, .failure(.lost))
        }
        let attempts = try timeline(of: call).events.filter { $0.kind == .attempt }
        XCTAssertEqual(attempts.map(\.start), [.seconds(4), .seconds(5)])
        XCTAssertEqual(attempts.map(\.duration), [.seconds(1), .seconds(1)])
    }

    func testTheLengthOfAStreamIsNotTold() throws {
        let call = try call()
        var response = NetworkResponse(statusCode: 200, url: call.url)
        call.reportAttempt(since: .zero, .success(response))
        response.content = .stream(NetworkBytes.makeStream(onCancel: {}).bytes)
        call.reportAttempt(since: .zero, .success(response))
        XCTAssertEqual(try timeline(of: call).events.map(\.bytes), [0, nil])
    }

    func testEachFailureIsToldInAFewWords() throws {
        let response = NetworkResponse(statusCode: 302, url: try call().url)
        func connection(_ kind: NetworkError.ConnectionFailure.Kind) -> NetworkError {
            .connection(NetworkError.ConnectionFailure(kind: kind, host: "h", mayHaveReachedServer: true))
        }
        let failures: [(NetworkError, String)] = [
            (connection(.notConnected), "not connected"), (connection(.nameNotFound), "name not found"),
            (connection(.refused), "connection refused"), (connection(.lost), "connection lost"),
            (connection(.tls(.expired)), "no secure connection"), (connection(.unknown), "connection failed"),
            (.timedOut(NetworkError.Timeout(limit: .attempt, after: .seconds(1), host: "h")), "timed out"),
            (.badResponse(NetworkError.BadResponse(host: "h", cause: nil)), "invalid HTTP"), (.status(response), "302"),
            (
                .redirectRefused(NetworkError.RedirectRefusal(reason: .loop, response: response, location: "/s3cret")),
                "redirect refused"
            ),
            (
                .decoding(
                    NetworkError.DecodingFailure(type: "text/csv", response: response, cause: URLError(.unknown))),
                "unexpected content"
            ),
        ]
        for (error, text) in failures {
            let call = try call()
            call.reportAttempt(since: .zero, .failure(error))
            XCTAssertEqual(try timeline(of: call).events.first?.detail, text)
        }
    }
}
