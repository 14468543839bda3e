import RecordKit
import RecordKitTesting
import TestSupport
import XCTest

/// Values that are easily misread.
final class StubValueTests: TimedTestCase {
    func testAnEmptyListIsAResponse() async throws {
        try await withStubs { stub in
            try stub.respond(to: RecordService.Many.list, with: [])
            assertEqual(try await NetworkSession(stub.configuration).value(for: RecordService.Many.list), [])
        }
    }

    func testSeveralResponsesToARequestForAList() async throws {
        let stub = StubServer()
        try stub.respond(to: QueryExamples.Search.byArtist("one"), with: [.status(500), .json("[]")])
        try stub.respond(to: QueryExamples.Search.byArtist("two"), with: .status(503), .json("[]"))
        let network = NetworkSession(stub.configuration)
        for name in ["one", "two"] {
            let list = QueryExamples.Search.byArtist(name)
            let first = try? await network.value(for: list)
            let second = try await network.value(for: list)
            XCTAssertNil(first)
            XCTAssertEqual(second, [])
        }
    }

    func testAValueIsSentAsItsServerWould() async throws {
        let clock = ManualClock(advancesItself: true)
        try await withStubs(clock: clock.networkClock) { stub in
            try stub.respond(to: Ask<String>(), with: "text", status: 203)
            let call = NetworkCall(url: try XCTUnwrap(URL(string: "https://stub.test/ask")))
            let response = try await stub.exchange(call)
            XCTAssertEqual(response.statusCode, 203)
            XCTAssertEqual(response.headers["Content-Type"], "text/plain; charset=utf-8")
            XCTAssertEqual(String(decoding: response.body, as: UTF8.self), "text")
            try await stub.configuration.clock.sleep(.seconds(1))
        }
        XCTAssertEqual(clock.sleeps, [.seconds(1)])
    }

    func testAValueIsEncodedByTheRequestsOwnEncoder() async throws {
        struct Dated: NetworkRequest {
            typealias ValueType = [String: Date]
            typealias ErrorType = NetworkError

            let path: RequestPath = "dated"
            var encoder: any NetworkEncoder {
                let encoder = JSONEncoder()
                encoder.dateEncodingStrategy = .iso8601
                return encoder
            }
            var decoder: any NetworkDecoder {
                let decoder = JSONDecoder()
                decoder.dateDecodingStrategy = .iso8601
                return decoder
            }
        }
        let date = Date(timeIntervalSince1970: 1_000_000_000)
        try await withStubs { stub in
            try stub.respond(to: Dated(), with: ["made": date])
            assertEqual(try await NetworkSession(stub.configuration).value(for: Dated()), ["made": date])
        }
    }

    func testNilIsNoText() async throws {
        try await withStubs { stub in
            try stub.respond(to: Ask<String?>(path: "text"), with: nil)
            try stub.respond(to: Ask<Data?>(path: "bytes"), with: nil)
            try stub.respond(to: Ask<Record?>(path: "record"), with: nil)
            let network = NetworkSession(stub.configuration)
            let text = try await network.value(for: Ask<String?>(path: "text"))
            let bytes = try await network.value(for: Ask<Data?>(path: "bytes"))
            let record = try await network.value(for: Ask<Record?>(path: "record"))
            XCTAssertNil(text)
            XCTAssertNil(bytes)
            XCTAssertNil(record)
            XCTAssertEqual(stub.requests.count, 3)
        }
    }
}
