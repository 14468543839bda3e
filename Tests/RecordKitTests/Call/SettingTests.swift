import RecordKit
import RecordKitStreaming
import RecordKitTesting
import TestSupport
import XCTest

/// Every member of a call that can be set, in `configure` and in an interceptor, for buffered calls and for streams.
final class SettingTests: TimedTestCase {
    private enum Mark: RequestOption { case on }

    /// How a call is sent, and where it is changed.
    private struct Way: CustomStringConvertible {
        let streams: Bool
        let intercepts: Bool

        var description: String { "\(streams ? "stream" : "value"), \(intercepts ? "interceptor" : "configure")" }
        static let all = [false, true].flatMap { streams in
            [false, true].map { Way(streams: streams, intercepts: $0) }
        }
    }

    /// What has become of a call.
    private struct Seen {
        var sent: NetworkCall?
        var response: NetworkResponse?
        var lines: [String] = []
        var error: NetworkError?
        var progress: [NetworkProgress]

        var timeout: NetworkError.Timeout? { if case .timedOut(let timeout) = error { timeout } else { nil } }
        var isTooLarge: Bool { if case .tooLarge = error { true } else { false } }
        var isUnreadable: Bool { if case .decoding = error { true } else { false } }
    }

    private struct Changing: NetworkInterceptor {
        let change: NetworkCall.Change

        func intercept(_ call: NetworkCall, next: NetworkCall.Next) async throws(NetworkError) -> NetworkResponse {
            var call = call
            try change(&call)
            return try await next(call)
        }
    }

    private let progress = Kept<[NetworkProgress]>([])

    /// Sends a call. The transport responds after a second.
    private func send(_ way: Way, _ path: RequestPath, _ change: @escaping NetworkCall.Change) async -> Seen {
        let clock = ManualClock()
        let transport = CannedTransport { call throws(NetworkError) in
            clock.advance(by: .seconds(1))
            let isMoved = call.url.path == "/moved"
            let body = Data("0123456789".utf8)
            return NetworkResponse(
                statusCode: isMoved ? 302 : 200, headers: isMoved ? ["Location": "/x"] : ["Content-Type": "text/plain"],
                content: call.delivery == .streamed ? .stream(NetworkBytes(body)) : .data(body), url: call.url)
        }
        progress.set([])
        let network = NetworkSession(transport, way.intercepts ? [Changing(change: change)] : [], clock: clock)
        let configure: NetworkCall.Change = { call throws(NetworkError) in if !way.intercepts { try change(&call) } }
        var seen = Seen(progress: [])
        do throws(NetworkError) {
            if way.streams {
                let lines = network.lines(for: Ask<Data>(path: path), configure: configure)
                seen.response = try await lines.response
                seen.lines = try await lines.collect()
            } else {
                seen.response = try await network.value(for: Ask<NetworkResponse>(path: path), configure: configure)
            }
        } catch {
            seen.error = error
        }
        (seen.sent, seen.progress) = (transport.calls.first, progress.now)
        return seen
    }

    func testWhatIsSetInACallActs() async throws {
        let other = try XCTUnwrap(URL(string: "https://other.example/x"))
        let text = EncodedBody(Data("text".utf8))
        typealias Setting = (
            name: String, path: RequestPath, change: NetworkCall.Change, acts: (Seen, Way) -> Bool,
            exceptions: (Way) -> Bool
        )
        let never: (Way) -> Bool = { _ in false }
        let settings: [Setting] = [
            (
                "url", "a", { $0.url = other },
                { seen, _ in seen.sent?.url == other && seen.response?.url == other }, never
            ),
            ("method", "a", { $0.method = .delete }, { seen, _ in seen.sent?.method == .delete }, never),
            ("headers", "a", { $0.headers["X-Till"] = "7" }, { seen, _ in seen.sent?.headers["X-Till"] == "7" }, never),
            (
                "body", "a", { ($0.method, $0.body) = (.post, text) },
                { seen, _ in seen.sent?.body?.length == 4 && seen.sent?.headers["Content-Type"] != nil }, never
            ),
            (
                "timeout", "a", { $0.options.timeout = .milliseconds(300) },
                { seen, _ in seen.timeout?.limit == .attempt && seen.timeout?.after == .milliseconds(300) }, never
            ),
            // The session ends a call at the deadline that it is sent with.
            (
                "deadline", "a", { $0.options.deadline = .milliseconds(300) },
                { seen, _ in seen.timeout?.limit == .deadline && seen.timeout?.after == .milliseconds(300) },
                { $0.intercepts }
            ),
            (
                "startTime", "a",
                { ($0.options.deadline, $0.startTime) = (.seconds(9), $0.startTime - .milliseconds(8700)) },
                { seen, _ in seen.timeout?.limit == .deadline && seen.timeout?.after == .seconds(9) },
                { $0.intercepts }
            ),
            // Lines have the limit that the call is sent with.
            (
                "sizeLimit", "a", { $0.options.sizeLimit = 5 }, { seen, _ in seen.isTooLarge },
                { $0.streams && $0.intercepts }
            ),
            ("bufferLimit", "a", { $0.options.bufferLimit = 5 }, { seen, _ in seen.sent?.bufferLimit == 5 }, never),
            (
                "redirects", "moved", { $0.options.redirects = .never },
                { seen, _ in seen.error?.response?.statusCode == 302 }, never
            ),
            ("expectedType", "a", { $0.options.expectedType = "image/*" }, { seen, _ in seen.isUnreadable }, never),
            (
                "option", "a", { $0.options[Mark.self] = .on },
                { seen, _ in seen.sent?.options[Mark.self] == .on }, never
            ),
            (
                "delivery", "a", { $0.delivery = $0.delivery == .buffered ? .streamed : .buffered },
                { seen, way in
                    way.streams
                        ? seen.sent?.delivery == .buffered && seen.lines == ["0123456789"]
                        : seen.response?.stream != nil
                }, never
            ),
            // The session reports how much of a stream was read, to the receiver that the call is sent with.
            (
                "onProgress", "a", { [progress] in $0.onProgress = progress.add },
                { seen, _ in seen.progress.last?.bytes == 10 }, { $0.streams && $0.intercepts }
            ),
        ]
        for way in Way.all {
            for (name, path, change, acts, exceptions) in settings {
                let seen = await send(way, path, change)
                XCTAssertEqual(acts(seen, way), !exceptions(way), "\(name): \(way): \(seen)")
            }
        }
    }

    func testADeadlineOfAnInterceptorBoundsWaitsAndLaterAttempts() async throws {
        struct Waiting: NetworkInterceptor {
            func intercept(_ call: NetworkCall, next: NetworkCall.Next) async throws(NetworkError) -> NetworkResponse {
                try await call.sleep(for: .seconds(1))
                return try await next(call)
            }
        }
        let deadline = Changing { $0.options.deadline = .milliseconds(300) }
        let transport = CannedTransport()
        let network = NetworkSession(transport, [deadline, Waiting()], clock: ManualClock(advancesItself: true))
        for error in [
            await network.failure(of: Ask<Data>()),
            await networkError { try await network.lines(for: Ask<Data>()).first() },
        ] {
            guard case .timedOut(let timeout) = error else { return XCTFail("\(String(describing: error))") }
            XCTAssertEqual(timeout.limit, .deadline)
            XCTAssertEqual(timeout.after, .milliseconds(300))
        }
        XCTAssertEqual(transport.calls.count, 0)
    }

    func testADeadlineThatIsSetEndsAStream() async throws {
        let stub = StubServer(clock: ManualClock(advancesItself: true).networkClock)
        stub.respond(
            to: "/ask",
            with: StubResponse([.chunk("a\n"), .delay(.seconds(9)), .chunk("b\n")], contentType: "text/event-stream"))
        let network = NetworkSession(stub.configuration)
        let change: NetworkCall.Change = { $0.options.deadline = .milliseconds(300) }
        for error in [
            await networkError { try await network.lines(for: Ask<Data>(), configure: change).collect() },
            await networkError { try await network.events(for: Ask<Data>(), configure: change).collect() },
        ] {
            let text = "\(error.map { "\($0)" } ?? "no error")"
            XCTAssertTrue(text.contains("was not done within 300"), text)
        }
    }

    func testADeadlineThatIsNotPositiveIsRefused() async {
        let network = NetworkSession(CannedTransport())
        let error = await networkError { try await network.value(for: Ask<Data>()) { $0.options.deadline = .zero } }
        guard case .invalidRequest(let invalid) = error else { return XCTFail("\(String(describing: error))") }
        XCTAssertEqual(invalid.member, .options)
    }
}
