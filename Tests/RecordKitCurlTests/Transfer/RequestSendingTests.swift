import RecordKit
import XCTest

@testable import RecordKitCurl

/// Whether a request is sent again, and what of its body isn't needed.
final class RequestSendingTests: XCTestCase {
    private typealias Arrival = RequestSending.Arrival

    private func sending(
        _ method: HTTPMethod = .get, body: String? = nil, isHTTP2Known: Bool = false
    ) -> RequestSending {
        var call = NetworkCall(url: URL(filePath: "/"), method: method)
        call.body = body.map { EncodedBody(.data(Data($0.utf8))) }
        return RequestSending(call, isHTTP2Known: isHTTP2Known) {}
    }

    /// Sends a request over a connection, and returns it with what was to be done.
    private func sent(
        _ sending: RequestSending, isNew: Bool = true, isHTTP2: Bool = false
    ) -> (sending: RequestSending, step: RequestSending.Step) {
        var sending = sending
        let step = sending.willSend(port: 7, isNew: isNew, hasUnreadBytes: false, isHTTP2: isHTTP2)
        return (sending, step)
    }

    func testOnlyAnIdempotentRequestIsSentTwice() {
        for (method, step) in [(HTTPMethod.get, RequestSending.Step.send(corks: false)), (.post, .mustNotSendAgain)] {
            let first = sent(sending(method))
            XCTAssertEqual(first.step, .send(corks: false))
            let second = sent(first.sending)
            XCTAssertEqual(second.step, step)
            XCTAssertEqual(second.sending.count, 2)
        }
    }

    func testASmallBodyIsWrittenWithItsHeadOverHTTP2() {
        for (length, isHTTP2, corks) in [
            (0, true, false), (1, true, true), (65_536, true, true), (65_537, true, false), (1, false, false),
        ] {
            let body = String(repeating: "x", count: length)
            XCTAssertEqual(sent(sending(.put, body: body), isHTTP2: isHTTP2).step, .send(corks: corks), "\(length)")
        }
        XCTAssertTrue(sent(sending(isHTTP2Known: true)).sending.isOverHTTP2)
    }

    func testAConnectionWithUnreadBytesIsNotUsed() {
        var sending = sending(.post)
        XCTAssertEqual(sending.willSend(port: 7, isNew: false, hasUnreadBytes: true, isHTTP2: false), .beginAgain)
        XCTAssertTrue(sending.beginsAgain(after: .other, hasFailed: false, Arrival()))
        XCTAssertEqual(sent(sending).step, .send(corks: false), "it wasn't sent before")
        XCTAssertFalse(sending.beginsAgain(after: .other, hasFailed: false, Arrival()))
    }

    func testWhatBeginsAgain() {
        typealias Row = (RequestSending, RequestSending.Ending, Arrival, Bool)
        let (new, kept) = (sent(sending()).sending, sent(sending(), isNew: false).sending)
        let known = sent(sending(isHTTP2Known: true)).sending
        let table: [Row] = [
            (new, .droppedHead, Arrival(), true), (known, .droppedHead, Arrival(), false),
            (kept, .brokenConnection, Arrival(), true), (new, .brokenConnection, Arrival(), false),
            (kept, .brokenConnection, Arrival(hasHead: true), false),
            (kept, .brokenConnection, Arrival(isOverHTTP2: true), false),
            (kept, .brokenConnection, Arrival(hasMessage: true), true), (kept, .other, Arrival(), false),
            (sent(kept).sending, .brokenConnection, Arrival(), false), (sending(), .droppedHead, Arrival(), false),
            (sent(sending(.post), isNew: false).sending, .brokenConnection, Arrival(), false),
        ]
        for (number, (sending, ending, arrival, again)) in table.enumerated() {
            for hasFailed in [false, true] {
                var sending = sending
                XCTAssertEqual(
                    sending.beginsAgain(after: ending, hasFailed: hasFailed, arrival), again && !hasFailed,
                    "row \(number)")
            }
        }
    }

    func testARequestThatTheServerCertainlyRefused() {
        let (new, kept) = (sent(sending()).sending, sent(sending(), isNew: false).sending)
        XCTAssertTrue(new.wasRefused(isShared: false, Arrival()))
        XCTAssertFalse(new.wasRefused(isShared: true, Arrival()))
        XCTAssertFalse(kept.wasRefused(isShared: false, Arrival()))
        for arrival in [Arrival(hasHead: true), Arrival(isOverHTTP2: true), Arrival(hasMessage: true)] {
            XCTAssertFalse(new.wasRefused(isShared: false, arrival), "\(arrival)")
        }
    }

    func testTheRestOfABody() throws {
        let empty = sending()
        XCTAssertFalse(empty.hasUnneededRest(overHTTP2: true))
        XCTAssertTrue(empty.rewind())
        for method in [HTTPMethod.put, .post] {
            let sending = sending(method, body: "1234")
            XCTAssertTrue(sending.rewind(), "nothing was sent")
            try withUnsafeTemporaryAllocation(byteCount: 3, alignment: 1) { buffer in
                _ = try sending.read(into: buffer)
                XCTAssertEqual(sending.bytes, 3)
                XCTAssertTrue(sending.hasUnneededRest(overHTTP2: true))
                XCTAssertFalse(sending.hasUnneededRest(overHTTP2: false))
                _ = try sending.read(into: buffer)
                XCTAssertFalse(sending.hasUnneededRest(overHTTP2: true))
            }
            XCTAssertEqual(sending.rewind(), method == .put)
            XCTAssertEqual(sending.bytes, method == .put ? 0 : 4)
        }
    }
}
