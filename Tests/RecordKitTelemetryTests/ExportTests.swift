import RecordKit
import RecordKitTelemetry
import RecordKitTesting
import TestSupport
import XCTest

/// How spans and metrics are sent, and what a collector's response means.
final class ExportTests: TelemetryTestCase {
    func testSpansWaitWhileTheCollectorIsAwayAndFurtherOnesAreDropped() async throws {
        let isAway = Kept(true)
        let collector = CannedTransport { call throws(NetworkError) in
            if isAway.now { throw .refused }
            return NetworkResponse(statusCode: 200, url: call.url)
        }
        let telemetry = telemetry(collector) { ($0.queueSize, $0.batchSize) = (5, 2) }
        await sendCalls(3, telemetry)
        assertEqual(await telemetry.flush(), false)
        XCTAssertEqual(telemetry.droppedSpans, 1)

        isAway.set(false)
        let before = collector.calls.count
        assertEqual(await telemetry.flush(), true)
        let sent = try await exports(collector).dropFirst(before)
        XCTAssertEqual(sent.map(\.spans.count), [2, 2, 1, 0])
        XCTAssertEqual(Set(sent.flatMap { $0.spans.map(\.spanId) }).count, 5)
        XCTAssertTrue(sent.flatMap(\.metrics).contains { $0.name == "recordkit.spans.dropped" })
    }

    func testASpanThatWasDroppedMakesTheNextFlushFalse() async {
        let telemetry = telemetry(collector) { ($0.queueSize, $0.batchSize) = (1, 0) }
        await sendCalls(1, telemetry)
        assertEqual(await telemetry.flush(), false)
        XCTAssertEqual(telemetry.lastFailure?.description.contains("queueSize"), true)
        XCTAssertNil(telemetry.lastFailure?.cause)
        assertEqual(await telemetry.flush(), true)
    }

    func testNegativeLimitsAreTheSmallestOnes() async throws {
        let telemetry = telemetry(collector) { ($0.batchSize, $0.seriesLimit) = (-1, -1) }
        await sendCalls(1, telemetry)
        assertEqual(await telemetry.flush(), true)
        assertEqual(try await exports(collector).map(\.spans.count), [1, 1, 0])
        let dropping = self.telemetry(collector) { $0.queueSize = -1 }
        await sendCalls(1, dropping)
        XCTAssertEqual(dropping.droppedSpans, 2)
    }

    func testFlushIsTrueOnlyIfEverythingWasReceived() async {
        let portal = ["Location": "https://portal.example/"] as HTTPHeaders
        let rejecting = #"{"partialSuccess": {"rejectedSpans": "1", "errorMessage": "too old"}}"#
        for (status, headers, body, dropped, isFlushed) in [
            (200, [:], "", 0, true), (202, [:], "thanks", 0, true), (200, [:], #"{"partialSuccess": {}}"#, 0, true),
            (200, [:], #"{"partialSuccess": {"rejectedSpans": "-1"}}"#, 0, true),
            (200, [:], rejecting, 1, false), (200, [:], #"{"partialSuccess": {"rejectedSpans": 1}}"#, 1, false),
            (200, [:], #"{"partialSuccess": {"rejectedSpans": 9223372036854775807}}"#, 4, false),
            (200, [:], #"{"partialSuccess": {"rejectedDataPoints": "1"}}"#, 1, false),
            (301, portal, "", 4, false), (302, portal, "", 4, false), (307, portal, "", 4, false),
            (308, portal, "", 4, false), (400, [:], "", 4, false), (401, [:], "", 4, false), (404, [:], "", 4, false),
            (413, [:], "", 4, false), (500, [:], "", 4, false), (429, [:], "", 0, false), (502, [:], "", 0, false),
            (503, [:], "", 0, false), (504, [:], "", 0, false),
        ] as [(Int, HTTPHeaders, String, Int, Bool)] {
            let collector = CannedTransport(status: status, headers: headers, body: body)
            let telemetry = telemetry(collector) { $0.headers["X-API-Key"] = "s3cret" }
            await sendCalls(2, telemetry)
            assertEqual(await telemetry.flush(), isFlushed, "\(status) \(body)")
            XCTAssertEqual(telemetry.droppedSpans, dropped, "\(status) \(body)")
            XCTAssertEqual(telemetry.lastFailure == nil, isFlushed, "\(status) \(body)")
            XCTAssertEqual(Set(collector.calls.map(\.origin.host)), ["localhost"], "\(status) \(body)")
            XCTAssertEqual(
                telemetry.lastFailure?.cause?.response?.statusCode, status == 200 || isFlushed ? nil : status)
            if body == rejecting { XCTAssertEqual(telemetry.lastFailure?.message, "too old") }
        }
    }

    func testRejectionsOfTwoExportsAreCounted() async {
        let collector = CannedTransport(body: #"{"partialSuccess": {"rejectedSpans": 9223372036854775807}}"#)
        let telemetry = telemetry(collector)
        for count in 1...2 {
            await sendCalls(1, telemetry)
            await telemetry.flush()
            XCTAssertEqual(telemetry.droppedSpans, 2 * count)
        }
    }

    func testEachSignalIsToldBySomeReason() async {
        for (path, status) in [("/v1/traces", 503), ("/v1/metrics", 503), ("/v1/metrics", 400)] {
            let collector = CannedTransport { call throws(NetworkError) in
                NetworkResponse(statusCode: call.url.path == path ? status : 200, url: call.url)
            }
            let telemetry = telemetry(collector)
            await sendCalls(1, telemetry)
            assertEqual(await telemetry.flush(), false, path)
            XCTAssertEqual(collector.calls.map(\.url.path), ["/v1/traces", "/v1/metrics"])
            XCTAssertEqual(telemetry.droppedSpans, 0)
        }
        let metrics = CannedTransport { call throws(NetworkError) in
            let body = call.url.path == "/v1/metrics" ? #"{"partialSuccess": {"rejectedDataPoints": "9"}}"# : ""
            return NetworkResponse(statusCode: 200, body: Data(body.utf8), url: call.url)
        }
        let telemetry = telemetry(metrics)
        await sendCalls(1, telemetry)
        assertEqual(await telemetry.flush(), false)
        XCTAssertEqual(telemetry.droppedSpans, 0)

        let mistyped = self.telemetry(collector) { $0.endpoint = "localhost:4318" }
        await sendCalls(1, mistyped)
        assertEqual(await mistyped.flush(), false)
        XCTAssertEqual(mistyped.lastFailure?.localizedDescription.contains("begin it with http://"), true)
        XCTAssertTrue(collector.calls.isEmpty)
    }

    func testExportsDoNotOverlap() async {
        let (isSent, gate) = (ResponseGate(), ResponseGate())
        let collector = CannedTransport { call throws(NetworkError) in
            isSent.open()
            try? await gate.wait()
            return NetworkResponse(statusCode: 200, url: call.url)
        }
        let telemetry = telemetry(collector)
        await sendCalls(1, telemetry)
        async let first = telemetry.flush()
        try? await isSent.wait()
        async let second = telemetry.flush()
        gate.open()
        assertEqual(await [first, second], [true, true])
        XCTAssertEqual(collector.calls.filter { $0.url.path == "/v1/traces" }.count, 1)
    }

    func testSpansAreSentAfterTheInterval() async throws {
        let exported = expectation(description: "exported")
        let collector = CannedTransport { call throws(NetworkError) in
            exported.fulfill()
            return NetworkResponse(statusCode: 200, url: call.url)
        }
        let manual = ManualClock()
        let telemetry = telemetry(collector, clock: manual.networkClock)
        await sendCalls(2, telemetry)
        XCTAssertEqual(manual.timerCount, 2)
        manual.advance(by: .milliseconds(4999))
        XCTAssertEqual(collector.calls.count, 0)
        manual.advance(by: .milliseconds(1))
        await fulfillment(of: [exported], timeout: 60)
        XCTAssertEqual(collector.calls.first?.url.absoluteString, "http://localhost:4318/v1/traces")
    }

    func testAFullBatchIsSentAtOnce() async throws {
        let exported = expectation(description: "exported")
        let collector = CannedTransport { call throws(NetworkError) in
            exported.fulfill()
            return NetworkResponse(statusCode: 200, url: call.url)
        }
        let telemetry = telemetry(collector, clock: ManualClock().networkClock) { $0.batchSize = 2 }
        await sendCalls(1, telemetry)
        await fulfillment(of: [exported], timeout: 60)
    }
}
