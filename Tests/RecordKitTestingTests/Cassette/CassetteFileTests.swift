import RecordKit
import RecordKitTesting
import TestSupport
import XCTest

/// Cassettes that can't be replayed, and their files.
final class CassetteFileTests: TimedTestCase {
    func testFilesThatAreWrongAreNamed() throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "one.har")
        func message(_ text: String?) throws -> String {
            if let text { try folder.write(text, to: "one.har") }
            do {
                _ = try Cassette(file, .replay)
                return "fine"
            } catch {
                return error.description.replacing(folder.url.path, with: "…")
            }
        }
        XCTAssertEqual(
            try message(nil),
            "There is no recording …/one.har. Record it first, with .record(through:) instead of .replay.")
        let conflict = try message("{\"log\":\n<<<<<<< HEAD\n{}}")
        XCTAssertTrue(
            conflict.hasPrefix("The recording …/one.har cannot be read as HAR 1.2: it isn't valid JSON: "), conflict)
        #if canImport(FoundationNetworking)
        XCTAssertTrue(conflict.hasSuffix(": it isn't valid JSON: Invalid value around character 8."), conflict)
        #endif
        XCTAssertEqual(
            try message(#"{"log": {"entries": [{"request": {"method": "GET"}}]}}"#),
            "The recording …/one.har cannot be read as HAR 1.2: log.entries[0].request has no \"url\".")
        func entry(_ content: String) -> String {
            """
            {"log": {"version": "1.2", "entries": [{"request": {"method": "GET", "url": "https://a.test"}, \
            "response": {"status": 200, "content": \(content)}}]}}
            """
        }
        XCTAssertEqual(
            try message(entry(#"{"text": "%", "encoding": "rot13"}"#)),
            "The recording …/one.har cannot be read as HAR 1.2: log.entries[0]: "
                + "its encoding \"rot13\" isn't supported; only base64 is.")
        for text in ["YWJj%%%%", "YWJ_", "YWJ"] {
            XCTAssertEqual(
                try message(entry(#"{"text": "\#(text)", "encoding": "base64"}"#)),
                "The recording …/one.har cannot be read as HAR 1.2: log.entries[0]: its body isn't valid base64.")
        }
        XCTAssertEqual(try message(entry(#"{"text": "YW\r\n Jj\n", "encoding": "base64"}"#)), "fine")
        XCTAssertEqual(try message("\u{FEFF}" + entry("{}")), "fine")
        XCTAssertThrowsError(try Cassette(folder.url, .replay)) { error in
            guard case .unreadable = error as? CassetteError else { return XCTFail("\(error)") }
        }
        try folder.write("", to: "taken")
        XCTAssertThrowsError(
            try Cassette(folder.url.appending(path: "taken/one.har"), .record(through: StubServer()))
        ) { error in
            XCTAssertTrue("\(error)".hasPrefix("The recording \(folder.url.path)/taken/one.har cannot be written: "))
        }
    }

    /// Records any call.
    private func recorder(_ file: URL) throws -> Cassette {
        let stub = StubServer()
        stub.respond(to: "/**", with: .text("x"))
        return try Cassette(file, .record(through: stub))
    }

    func testTwoThatRecordIntoOneFileAreTold() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "one.har")
        let url = try XCTUnwrap(URL(string: "https://stub.test/ask"))
        let one = try recorder(file)
        let other = try recorder(file)
        for _ in 0..<2 { _ = try await one.exchange(NetworkCall(url: url)) }
        let error = await networkError { try await other.exchange(NetworkCall(url: url)) }
        XCTAssertNoThrow(try one.verify())
        XCTAssertThrowsError(try other.verify())
        XCTAssertEqual(
            (error?.cause as? CassetteError)?.description,
            "The recording \(file.path) cannot be written: Something else has changed it since. "
                + "Give each test, and each of its arguments, a file of its own.")
    }

    func testOneWhoseFileAnotherBeganAnewIsTold() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "one.har")
        let url = try XCTUnwrap(URL(string: "https://stub.test/ask"))
        let one = try recorder(file)
        _ = try await one.exchange(NetworkCall(url: url))
        let other = try recorder(file)
        _ = try await other.exchange(NetworkCall(url: url.appending(path: "other")))
        XCTAssertThrowsError(try one.verify())
        XCTAssertNoThrow(try other.verify())
    }

    func testCallsAreWrittenInTheOrderInWhichTheyWereSent() async throws {
        let folder = try TemporaryFolder()
        let gate = ResponseGate()
        let stub = StubServer()
        stub.respond(to: "/first", with: .text("x").after(gate))
        stub.respond(to: "/second", with: .text("x"))
        let cassette = try Cassette(folder.url.appending(path: "one.har"), .record(through: stub))
        let urls = try ["first", "second"].map { try XCTUnwrap(URL(string: "https://stub.test/\($0)")) }
        async let first = cassette.exchange(NetworkCall(url: urls[0]))
        _ = try await stub.request(at: 0)
        _ = try await cassette.exchange(NetworkCall(url: urls[1]))
        gate.open()
        _ = try await first
        let text = try folder.text(of: "one.har")
        let places = urls.compactMap { text.range(of: "\"\($0.absoluteString)\"")?.lowerBound }
        XCTAssertEqual(places.count, 2)
        XCTAssertEqual(places, places.sorted())
    }

    func testABodyThatIsNotThereIsNotRecorded() async throws {
        let folder = try TemporaryFolder()
        try folder.write("x", to: "body")
        let body = folder.url.appending(path: "body")
        let call = NetworkCall(
            url: try XCTUnwrap(URL(string: "https://stub.test/ask")), method: .post,
            body: try FileBody(body).encoded(using: JSONEncoder()))
        try FileManager.default.removeItem(at: body)
        let cassette = try Cassette(folder.url.appending(path: "one.har"), .record(through: StubServer()))
        let error = await networkError { try await cassette.exchange(call) }
        guard case .invalidRequest = error else { return XCTFail("\(String(describing: error))") }
        XCTAssertFalse(try folder.text(of: "one.har").contains("ask"))
    }

    func testTheHeadersOfAResponseHaveOneOrder() async throws {
        let folder = try TemporaryFolder()
        let server = try LoopbackServer(responses: [
            .status(200, headers: ["X-C": "3", "X-A": "1", "x-d": "4", "X-B": "2", "X-F": "6", "X-E": "5"])
        ])
        let cassette = try Cassette(folder.url.appending(path: "one.har"), .record(through: URLSessionTransport()))
        _ = try await cassette.exchange(NetworkCall(url: server.url))
        let text = try folder.text(of: "one.har").lowercased()
        let places = "abcdef".compactMap { text.range(of: "\"x-\($0)\"")?.lowerBound }
        XCTAssertEqual(places.count, 6)
        XCTAssertEqual(places, places.sorted())
    }

    func testEachTestHasAFile() {
        XCTAssertEqual(
            Cassette.file(of: "testSale()", beside: "/app/Tests/ShopTests.swift").path,
            "/app/Tests/Cassettes/ShopTests/testSale.har")
        func name(_ test: String) -> String { Cassette.file(of: test, beside: "/T.swift").path }
        XCTAssertEqual(name("sale(of:count:)"), "/Cassettes/T/sale.har")
        XCTAssertEqual(name("a sale (in cash) / by card()"), "/Cassettes/T/a sale (in cash) - by card.har")
        XCTAssertEqual(name("sale 1"), "/Cassettes/T/sale 1.har")
        XCTAssertEqual(name("sale LP (2nd)"), "/Cassettes/T/sale LP (2nd).har")
        XCTAssertTrue(Cassette.file().path.hasSuffix("/Cassettes/CassetteFileTests/testEachTestHasAFile.har"))
    }
}
