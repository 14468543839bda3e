import Foundation
import RecordKitTesting
import XCTest

@testable import RecordKit

/// What the story of a call says of what was recorded.
final class NetworkCallTimelineTests: XCTestCase {
    private let clock = ManualClock()

    private func call() throws -> NetworkCall {
        NetworkCall(url: try XCTUnwrap(URL(string: "https://store.example/ask")), clock: clock.networkClock)
    }

    func testItBeginsWithWhatBeganFirstWhateverEndedFirst() throws {
        let call = try call()
        clock.advance(by: .seconds(1))
        let outer = call.clock.now()
        clock.advance(by: .seconds(2))
        let inner = call.clock.now()
        clock.advance(by: .seconds(3))
        call.record(.wait, since: inner)
        call.record(.other, since: outer)

        XCTAssertEqual(call.timeline.events.map(\.kind), [.other, .wait])
        XCTAssertEqual(call.timeline.events.map(\.start), [.zero, .seconds(2)])
        XCTAssertEqual(call.timeline.duration, .seconds(5))
    }

    func testAWaitForASlotThatIsNoWaitIsNotTold() throws {
        for (length, count) in [(Duration.microseconds(99), 0), (.microseconds(100), 1)] {
            let call = try call()
            let start = call.clock.now()
            clock.advance(by: length)
            call.record(.slot, since: start)
            XCTAssertEqual(call.timeline.events.count, count, "\(length)")
        }
    }

    /// An interceptor of the app's own may send a call twice under one number.
    func testTheWaitOfAnEarlierSendingIsNoPartOfTheNext() throws {
        let call = try call()
        for wait in [Duration.seconds(4), .zero] {
            let start = call.clock.now()
            clock.advance(by: wait)
            call.record(.slot, since: start)
            clock.advance(by: .seconds(1))
            call.recordAttempt(since: start, .failure(.lost))
        }
        let attempts = call.timeline.events.filter { $0.kind == .attempt }
        XCTAssertEqual(attempts.map(\.start), [.seconds(4), .seconds(5)])
        XCTAssertEqual(attempts.map(\.duration), [.seconds(1), .seconds(1)])
    }

    func testTheLengthOfAStreamIsNotTold() throws {
        let call = try call()
        var response = NetworkResponse(statusCode: 200, url: call.url)
        call.recordAttempt(since: .zero, .success(response))
        response.stream = NetworkBytes(next: { () async throws(NetworkError) in nil }, cancel: {})
        call.recordAttempt(since: .zero, .success(response))
        XCTAssertEqual(call.timeline.events.map(\.bytes), [0, nil])
    }

    func testWhatTakesNoTimeIsToldWithoutOne() throws {
        let call = try call()
        call.recordRedirect(302)
        call.recordJoining()
        XCTAssertEqual(call.timeline.events.map(\.description), ["redirected with 302", "joined an equal call"])
    }

    func testEachFailureIsToldInAFewWords() throws {
        let response = NetworkResponse(statusCode: 302, url: try call().url)
        func connection(_ kind: ConnectionFailure.Kind) -> NetworkError {
            .connection(ConnectionFailure(kind: kind, host: "h", mayHaveReachedServer: true))
        }
        let failures: [(NetworkError, String)] = [
            (connection(.notConnected), "not connected"), (connection(.nameNotFound), "name not found"),
            (connection(.refused), "connection refused"), (connection(.lost), "connection lost"),
            (connection(.tls(.expired)), "no secure connection"), (connection(.unknown), "connection failed"),
            (.timedOut(Timeout(limit: .attempt, after: .seconds(1), host: "h")), "timed out"),
            (.badResponse(BadResponse(host: "h")), "no HTTP"), (.status(response), "302"),
            (
                .redirectRefused(RedirectRefusal(reason: .loop, response: response, location: "/s3cret")),
                "redirect refused"
            ),
            (
                .decoding(DecodingFailure(type: "text/csv", response: response, cause: URLError(.unknown))),
                "unexpected content"
            ),
        ]
        for (error, text) in failures {
            let call = try call()
            call.recordAttempt(since: .zero, .failure(error))
            XCTAssertEqual(call.timeline.events.first?.detail, text)
        }
    }
}
