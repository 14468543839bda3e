import RecordKit
import RecordKitInterceptors
import RecordKitTesting
import TestSupport
import XCTest

final class TracingTests: TimedTestCase {
    /// Returns the values of a header field in two attempts of each of two calls.
    private func sent(
        _ tracing: TracingInterceptor, _ name: String, with headers: HTTPHeaders = [:]
    ) async -> [String?] {
        let transport = CannedTransport(.answer(503), .answer(200), .answer(503), .answer(200))
        let network = NetworkConfiguration(
            transport, [RetryInterceptor(backoff: Backoff(base: .zero, shortestWait: .zero)), tracing],
            clock: ManualClock(advancesItself: true)
        )
        for _ in 0..<2 { _ = await NetworkSession(network).status(of: Ask(headers: headers)) }
        XCTAssertEqual(transport.calls.count, 4)
        return transport.calls.map { $0.headers[name] }
    }

    private func counting(from first: UInt64) -> @Sendable () -> UInt64 {
        let next = Kept(first)
        return { next.next() }
    }

    func testTheRequestIDIsTheSameOnEachAttempt() async {
        let ids = await sent(TracingInterceptor(), "X-Request-ID")
        XCTAssertEqual(ids[0]?.count, 32)
        XCTAssertEqual(ids[0], ids[1])
        XCTAssertEqual(ids[2], ids[3])
        XCTAssertNotEqual(ids[0], ids[2])
    }

    func testTheRequestIDIsOfOnesOwnChoosing() async {
        let number = Kept(7)
        let tracing = TracingInterceptor(header: "X-Correlation", requestID: { "\($0.method)-\(number.next())" })
        assertEqual(await sent(tracing, "X-Correlation"), ["GET-7", "GET-7", "GET-8", "GET-8"])
        assertEqual(await sent(tracing, "X-Correlation", with: ["x-correlation": "own"]), ["own", "own", "own", "own"])
        assertEqual(await sent(TracingInterceptor(header: nil), "X-Request-ID"), [nil, nil, nil, nil])
    }

    func testAnIDThatNoHeaderCanHaveIsATypedError() async {
        for tracing in [TracingInterceptor(requestID: { _ in "a\r\nb: c" }), TracingInterceptor(header: "X Id")] {
            let transport = CannedTransport()
            let network = NetworkConfiguration(transport, [tracing], clock: ManualClock())
            guard case .failure(.invalidRequest(let failure)) = await NetworkSession(network).outcome(of: Ask()) else {
                return XCTFail("no error")
            }
            XCTAssertEqual(failure.member, .headers)
            XCTAssertTrue(transport.calls.isEmpty)
        }
    }

    func testATraceIsBegunWithASpanForEachAttempt() async {
        let tracing = TracingInterceptor(tracing: .begun(isSampled: true), random: counting(from: 0))
        let traces = await sent(tracing, "traceparent")
        XCTAssertEqual(
            traces,
            [
                "00-00000000000000030000000000000004-0000000000000002-03",
                "00-00000000000000030000000000000004-0000000000000005-03",
                "00-0000000000000009000000000000000a-0000000000000008-03",
                "00-0000000000000009000000000000000a-000000000000000b-03",
            ])
        let zeros = await sent(
            TracingInterceptor(header: nil, tracing: .begun(isSampled: true), random: { 0 }), "traceparent")
        XCTAssertEqual(zeros[0], "00-00000000000000010000000000000000-0000000000000001-03")
        let unsampled = await sent(
            TracingInterceptor(tracing: .begun(isSampled: false), random: { .max }), "traceparent")
        XCTAssertEqual(unsampled[0], "00-ffffffffffffffffffffffffffffffff-ffffffffffffffff-02")
    }

    func testATraceIsHandedOn() async throws {
        let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
        let received = try XCTUnwrap(TraceContext(traceparent: parent, tracestate: "rojo=00f0,congo=t61"))
        let tracing = TracingInterceptor(header: nil, tracing: .continued, random: counting(from: 10))
        let expected = [10, 11, 12, 13].map {
            "00-4bf92f3577b34da6a3ce929d0e0e4736-000000000000000\(String($0, radix: 16))-01"
        }
        assertEqual(await TraceContext.$current.withValue(received) { await sent(tracing, "traceparent") }, expected)
        let states = await TraceContext.$current.withValue(received) { await sent(tracing, "tracestate") }
        XCTAssertEqual(states[0], "rojo=00f0,congo=t61")

        let own = await sent(
            TracingInterceptor(header: nil, tracing: .continued, random: counting(from: 10)), "traceparent",
            with: ["traceparent": parent])
        XCTAssertEqual(own, expected)
        let other = "00-\(String(repeating: "a", count: 32))-00f067aa0ba902b7-02"
        let before = await TraceContext.$current.withValue(received) {
            await sent(
                TracingInterceptor(tracing: .continued, random: { 1 }), "traceparent", with: ["traceparent": other])
        }
        XCTAssertEqual(before[0], "00-\(String(repeating: "a", count: 32))-0000000000000001-02")
        assertEqual(await sent(TracingInterceptor(tracing: .continued), "traceparent"), [nil, nil, nil, nil])
        let off = await TraceContext.$current.withValue(received) { await sent(TracingInterceptor(), "traceparent") }
        XCTAssertEqual(off, [nil, nil, nil, nil])
    }

    func testAVendorIsTheFirstInTheState() async throws {
        let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
        let tracing = TracingInterceptor(header: nil, tracing: .begun(isSampled: true), vendor: "shop", random: { 255 })
        let begun = await sent(tracing, "tracestate")
        XCTAssertEqual(begun[0], "shop=00000000000000ff")
        let continued = await sent(
            tracing, "tracestate", with: ["traceparent": parent, "tracestate": "congo=t61, shop=old"])
        XCTAssertEqual(continued[0], "shop=00000000000000ff,congo=t61")
        let many = (0..<32).map { "k\($0)=v" }.joined(separator: ",")
        let full = await sent(tracing, "tracestate", with: ["traceparent": parent, "tracestate": many])
        XCTAssertEqual(full[0]?.split(separator: ",").count, 32)

        // Members that don't fit into the length that every system must propagate are dropped (W3C Trace Context
        // section 3.3.1.5), but never the vendor's own.
        let half = "a=\(String(repeating: "x", count: 256))"
        let long = "\(half),e=\(String(repeating: "x", count: 239)),b=y,c=z"
        let fitting = await sent(tracing, "tracestate", with: ["traceparent": parent, "tracestate": long])
        XCTAssertEqual(fitting[0], "shop=00000000000000ff,\(half),b=y,c=z")

        for (count, isKept) in [(229, true), (230, false)] {
            let state = "e=\(String(repeating: "x", count: count))"
            let sent = await sent(
                tracing, "tracestate", with: ["traceparent": parent, "tracestate": "\(half),\(state)"])
            XCTAssertEqual(sent[0], "shop=00000000000000ff,\(half)" + (isKept ? ",\(state)" : ""))
        }

        let longest = String(repeating: "k", count: 256)
        for (vendor, isKey) in [("No Key", false), ("", false), ("-k", false), (longest, true), (longest + "k", false)]
        {
            let network = NetworkConfiguration(
                CannedTransport(), [TracingInterceptor(tracing: .begun(isSampled: true), vendor: vendor)],
                clock: ManualClock())
            assertEqual(await NetworkSession(network).status() != nil, isKey, vendor)
        }
    }

    func testInvalidTraceContexts() {
        for text in [
            "", "00", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
            "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
            "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
            "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-extra",
            "00-4bf92f3577b34da6a3ce929d0e0e473-600f067aa0ba902b7-01", "00-x-y-z", "----",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-1",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-001",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0A",
            "0G-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-001-more",
        ] { XCTAssertNil(TraceContext(traceparent: text), text) }
        let later = TraceContext(traceparent: "01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-03-more")
        XCTAssertEqual(later?.traceparent, "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-03")
        // The flags of level 2 go on, and no others.
        for (flags, sent) in [("00", "00"), ("01", "01"), ("02", "02"), ("03", "03"), ("ff", "03"), ("fc", "00")] {
            let context = TraceContext(traceparent: "00-\(String(repeating: "a", count: 32))-00f067aa0ba902b7-\(flags)")
            XCTAssertEqual(context?.traceparent.suffix(2), sent[...])
            XCTAssertEqual(context?.isRandom, sent >= "02")
        }
        let forged = TraceContext(
            traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", tracestate: "a=b\r\nX-Evil: 1")
        XCTAssertNotNil(forged)
        XCTAssertNil(forged?.tracestate)
        let empty = TraceContext(traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", tracestate: "")
        XCTAssertNil(empty?.tracestate)
    }

    func testAStateWithAMalformedMemberIsLeftOut() {
        // W3C Trace Context section 3.3.1.3.
        func state(_ text: String) -> String? {
            TraceContext(
                traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", tracestate: text)?.tracestate
        }
        func members(_ count: Int) -> String { (0..<count).map { "k\($0)=v" }.joined(separator: ",") }
        let fine = [
            "a=b", "a=b, \tc=d", "a=b,,c=d", "t1/x_-*@v=a b", "a=\(String(repeating: "x", count: 256))", members(32),
        ]
        for text in fine { XCTAssertEqual(state(text), text) }
        let malformed = [
            "a", "a=", "=b", "a=b,c", "A=b", "a b=c", "a=b=c", "a=b\tc", "a=é", "a=b,c=d,a=e", "a =b", ",", " ",
            "a=\(String(repeating: "x", count: 257))", members(33),
        ]
        for text in malformed { XCTAssertNil(state(text), text) }
    }
}
