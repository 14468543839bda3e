import Foundation
import RecordKit
import RecordKitTesting
import TestSupport
import XCTest

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Faults with extreme sizes, times and numbers.
final class FaultLimitTests: TimedTestCase {
    private let clock = ManualClock()

    func testNumbersBelowTheLeastAreTakenForIt() async throws {
        let stub = StubServer(
            clock, .text("abc").truncated(to: -1), .text("abc").dripped(by: 0, every: .zero),
            .text("abc").cut(after: -1),
            .text("abc").cut(after: -1))
        let network = NetworkSession(stub.configuration)
        let truncated = try await network.value(for: Ask<Data>())
        XCTAssertEqual(truncated, Data())
        let dripped = try await stub.chunks()
        XCTAssertEqual(dripped, ["a", "b", "c"])
        let cut = try await stub.chunks()
        XCTAssertEqual(cut, ["The connection to stub.test:443 was lost before the response was complete."])
        guard case .connection = await network.failure(of: Ask<Data>()) else { return XCTFail("not lost") }
    }

    func testNoTimeIsTooLongToWaitFor() async throws {
        let ever = Duration.seconds(Int64.max)
        let body = String(repeating: "a", count: 100)
        let late = (0..<20).reduce(StubResponse.text("x")) { answer, _ in answer.delayed(by: ever) }
        let stub = StubServer(clock: ManualClock(advancesItself: true).networkClock)
        stub.respond(to: "/ask", with: .text(body).dripped(every: ever), late)
        let url = try XCTUnwrap(URL(string: "https://stub.test/ask"))
        let session = URLSession(configuration: stub.sessionConfiguration)
        for _ in 0..<2 {
            guard case .timedOut = await stub.configuration.failure(of: Ask<Data>()) else { return XCTFail("no end") }
        }
        stub.respond(to: "/ask", with: .text(body).dripped(every: ever), late)
        for _ in 0..<2 {
            let error = await failure { try await session.data(from: url) }
            XCTAssertEqual((error as? URLError)?.code, .timedOut)
        }
    }

    func testACutBehindTheEndLosesNothing() async throws {
        let stub = StubServer(clock, .text("abc").cut(after: 3))
        let text = try await NetworkSession(stub.configuration).value(for: Ask<String>())
        XCTAssertEqual(text, "abc")
        let chunks = try await stub.chunks()
        XCTAssertEqual(chunks, ["abc"])
    }

    func testABodyThatIsCutTakesTheTimeOfWhatArrives() async throws {
        let network = StubServer(clock, .text("abcdef").cut(after: 2).dripped(every: .seconds(3))).configuration
        async let failure = network.failure(of: Ask<Data>())
        for _ in 0..<2 {
            let moved = await clock.advanceToNextSleeper()
            XCTAssertEqual(moved, .seconds(3))
        }
        guard case .connection = await failure else { return XCTFail("not lost") }
    }

    func testABodyOfTheSizeLimitIsTaken() async throws {
        let stub = StubServer(clock, .text("abcdef"), .text("abcdef").dripped(by: 3, every: .zero))
        let whole = try await NetworkSession(stub.configuration).value(
            for: Ask<Data>(options: RequestOptions(sizeLimit: 6)))
        XCTAssertEqual(whole.count, 6)
        let taken = try await stub.chunks(RequestOptions(sizeLimit: 6))
        XCTAssertEqual(taken, ["abc", "def"])
        let ask = Ask<Data>(options: RequestOptions(sizeLimit: 5))
        guard case .tooLarge(let failure) = await stub.configuration.failure(of: ask) else { return XCTFail("taken") }
        XCTAssertEqual(failure.limit, 5)
    }

    func testAStreamHasTheTimeoutForEachChunk() async throws {
        for (interval, texts) in [
            (Duration.seconds(59), ["a", "b", "c"]),
            (.seconds(61), ["stub.test:443 did not respond in full within 60.0 s."]),
        ] {
            let stub = StubServer(clock, .text("abc").dripped(every: interval))
            let response = try await stub.streamed()
            let stream = try XCTUnwrap(response.stream)
            let reading = Task { await stream.chunks() }
            for _ in texts {
                // The reader waits, and its timeout runs.
                await until { clock.timerCount >= 1 }
                let moved = await clock.advanceToNextSleeper()
                XCTAssertEqual(moved, min(interval, .seconds(60)))
            }
            let told = await reading.value
            XCTAssertEqual(told, texts)
        }
    }

    func testEverySeventhByteIsGarbled() async throws {
        let garbled = try await NetworkSession(StubServer(clock, .text("abcdefghijklmnop").garbled()).configuration)
            .value(
                for: Ask<Data>())
        let changed = zip(garbled, "abcdefghijklmnop".utf8).enumerated().filter { $0.element.0 != $0.element.1 }
        XCTAssertEqual(changed.map(\.offset), [0, 7, 14])
        XCTAssertEqual(changed.map { ~$0.element.0 }, Array("aho".utf8))
    }

    func testAFileHasTheTypeOfItsExtension() async throws {
        let folder = try TemporaryFolder()
        let types = [
            "a.JSON": "application/json", "a.har": "application/json", "a.xml": "application/xml",
            "a.htm": "text/html; charset=utf-8", "a.txt": "text/plain; charset=utf-8",
            "a.csv": "text/csv; charset=utf-8", "a.jpeg": "image/jpeg", "a.svg": "image/svg+xml",
            "a": "application/octet-stream",
        ]
        for (name, type) in types {
            try folder.write("x", to: name)
            let network = StubServer(clock, try .file(folder.url.appending(path: name))).configuration
            let response = try await NetworkSession(network).value(for: Ask<NetworkResponse>())
            XCTAssertEqual(response.headers["Content-Type"], type)
        }
        XCTAssertThrowsError(try StubResponse.file(folder.url)) { error in
            guard case .unreadableFile = error as? StubError else { return XCTFail("\(error)") }
        }
    }
}

extension StubServer {
    /// Returns a streamed response.
    fileprivate func streamed(
        _ options: RequestOptions = RequestOptions()
    ) async throws(NetworkError) -> NetworkResponse {
        try await NetworkSession(configuration).value(for: Ask<NetworkResponse>(options: options)) {
            $0.delivery = .streamed
        }
    }

    /// Returns the chunks of a streamed response, and the error that it ends with.
    fileprivate func chunks(_ options: RequestOptions = RequestOptions()) async throws -> [String] {
        let response = try await streamed(options)
        return try await XCTUnwrap(response.stream).chunks()
    }
}
