import XCTest

@testable import RecordKit

final class StringPiecesTests: XCTestCase {
    func testPiecesAreOneText() {
        XCTAssertEqual(String(pieces: ""), "")
        XCTAssertEqual(String(pieces: "", ""), "")
        XCTAssertEqual(
            String(pieces: "GET", " ", "https://store.example/é", ": ", "200"), "GET https://store.example/é: 200")
    }
}
