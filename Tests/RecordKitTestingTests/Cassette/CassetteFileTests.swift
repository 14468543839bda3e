import Foundation
import RecordKit
import RecordKitTesting
import XCTest

/// Cassettes that cannot be played, and where they lie.
final class CassetteFileTests: XCTestCase {
    func testFilesThatAreWrongAreNamed() throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "one.har")
        func message(_ text: String?) throws -> String {
            if let text { try folder.write(text, to: "one.har") }
            do {
                _ = try Cassette(file, .replay())
                return "fine"
            } catch {
                return error.description.replacing(folder.url.path, with: "…")
            }
        }
        XCTAssertEqual(
            try message(nil),
            "There is no recording …/one.har. Record it first, with .record(through:) in the place of .replay.")
        XCTAssertEqual(
            try message("{"), "The recording …/one.har cannot be read as HAR 1.2: the whole is not valid.")
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
                + "its encoding \"rot13\" is not known; base64 is.")
        XCTAssertEqual(try message("\u{FEFF}" + entry("{}")), "fine")
        try folder.write("", to: "taken")
        XCTAssertThrowsError(
            try Cassette(folder.url.appending(path: "taken/one.har"), .record(through: StubServer()))
        ) { error in
            XCTAssertTrue("\(error)".hasPrefix("The recording \(folder.url.path)/taken/one.har cannot be written: "))
        }
    }

    func testEachTestHasAFile() {
        XCTAssertEqual(
            Cassette.file(of: "testSale()", beside: "/app/Tests/ShopTests.swift").path,
            "/app/Tests/Cassettes/ShopTests/testSale.har")
        XCTAssertTrue(Cassette.file().path.hasSuffix("/Cassettes/CassetteFileTests/testEachTestHasAFile.har"))
    }
}
