import RecordKit
import RecordKitCache
import RecordKitTesting
import TestSupport
import XCTest

/// Plays the scenarios of the specifications.
final class ScenarioTests: TimedTestCase {
    private static let all = FreshnessScenarios.all + StoringScenarios.all

    func testScenariosInMemory() async {
        for scenario in Self.all { if let wrong = await Player().play(scenario) { XCTFail(wrong) } }
        XCTAssertGreaterThan(Self.all.count, 200)
    }

    // MARK: Header fields of stored responses (RFC 9111 sections 3.1, 3.2 and 5.1)

    /// Returns the header fields of the second response to a request.
    private func second(
        _ fields: [String], later: [String]? = nil, after seconds: Int = 0, request: Step.Request = .init()
    ) async throws -> HTTPHeaders {
        let player = Player()
        player.server.respond(with: .init(fields: fields))
        _ = try await player.send(.init())
        player.clock.advance(by: .seconds(seconds))
        if let later { player.server.respond(with: .init(status: 304, fields: later)) }
        return try await player.send(request).headers
    }

    func testTheAgeIsAdded() async throws {
        assertEqual(try await second(["Cache-Control: max-age=60", "Age: 3"], after: 10).values(for: "Age"), ["13"])
        let validated = try await second(["Cache-Control: max-age=60", "Age: 3", "ETag: \"a\""], later: [], after: 60)
        XCTAssertEqual(validated.values(for: "Age"), [])
    }

    func testFieldsOfTheConnectionAreNotStored() async throws {
        let headers = try await second([
            "Cache-Control: max-age=60, no-cache=\"Secret-Hint, b\"", "Connection: close, A", "A: 1", "b: 2", "C: 3",
            "Secret-Hint: 4", "Keep-Alive: timeout=5", "Proxy-Authenticate: Basic", "Proxy-Connection: close", "TE: a",
            "Transfer-Encoding: chunked", "Set-Cookie: d=1",
        ])
        XCTAssertEqual(Set(headers.map(\.name)), ["Cache-Control", "C", "Set-Cookie", "Age"])
    }

    func testA304UpdatesTheFields() async throws {
        let headers = try await second(
            [
                "ETag: \"a\"", "Content-Type: text/plain", "Content-Length: 1", "Content-Encoding: gzip", "A: 1",
                "B: 1", "B: 2", "Date: {0}",
            ],
            later: [
                "A: 2", "B: 3", "C: 4", "Content-Length: 0", "Content-Encoding: br", "Content-Type: text/html",
                "Content-Range: bytes 0-0/1", "Connection: D", "D: 5", "Date: {0}",
            ])
        XCTAssertEqual(headers["A"], "2")
        XCTAssertEqual(headers["B"], "3")
        XCTAssertEqual(headers["C"], "4")
        XCTAssertEqual(headers["D"], nil)
        XCTAssertEqual(headers["Content-Length"], "1")
        XCTAssertEqual(headers["Content-Encoding"], "gzip")
        XCTAssertEqual(headers["Content-Type"], "text/html")
        XCTAssertEqual(headers["Content-Range"], nil)
        XCTAssertEqual(headers["ETag"], "\"a\"")
    }

    func testAStored304AndARange() async throws {
        let fields = ["Cache-Control: max-age=60", "ETag: \"a\"", "Content-Type: text/plain", "Vary: Foo", "Date: {0}"]
        let notModified = try await second(fields, request: .init(fields: ["If-None-Match: \"a\""]))
        XCTAssertEqual(Set(notModified.map(\.name)), ["Cache-Control", "ETag", "Vary", "Date", "Age"])
        let part = try await second(fields, request: .init(fields: ["Range: bytes=0-0"]))
        XCTAssertEqual(part["Content-Range"], "bytes 0-0/1")
        XCTAssertEqual(part["Content-Length"], "1")
    }

    func testPoliciesAskOtherCaches() async throws {
        let player = Player()
        for policy: CachePolicy in [.reload, .validate, .standard] { _ = try await player.send(.init(policy: policy)) }
        _ = try await player.send(.init(fields: ["Cache-Control: a"], policy: .reload))
        XCTAssertEqual(player.server.calls.map { $0.headers["Cache-Control"] }, ["no-cache", "max-age=0", nil, "a"])
    }
}
