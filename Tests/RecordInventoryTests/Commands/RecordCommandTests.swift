import RecordKitJSON
import Foundation
import RecordKit
import TestSupport
import XCTest

@testable import RecordInventory

/// The commands `add`, `edit`, `delete` and `show`.
final class RecordCommandTests: TimedTestCase {
    func testAddMakesAndPrintsASKU() async throws {
        let till = try Till()
        let outcome = await till.type("add", "--artist", "A", "--title", "T", "--price", "1", "--currency", "EUR")
        XCTAssertEqual(outcome.exitCode, .done, outcome.messages)
        let sku = outcome.results.trimmed
        XCTAssertNotNil(sku.wholeMatch(of: /[A-Z][A-Z2-9]{3}-[A-Z2-9]{4}/), sku)
        let shown = await till.type("show", sku)
        XCTAssertEqual(shown.rows.first?[2], "T")
    }

    func testEditOfEveryField() async throws {
        let till = try Till()
        _ = await till.add("LP-1")
        let values = [
            "artist": "B", "title": "U", "label": "L", "catalogue_number": "C 1", "format": "LP, Album", "year": "1999",
            "country": "DE", "barcode": "4006381333931", "media_condition": "NM", "sleeve_condition": "not_graded",
            "price": "20.50", "currency": "USD", "quantity": "7", "status": "draft", "location": "Z-1", "notes": "n",
            "discogs_listing": "5", "discogs_release": "6", "genre": "Jazz", "cost": "9.10",
            "consignor": "Ms. Owner",
        ]
        let flags = values.flatMap { ["--\($0.key.replacing("_", with: "-"))", $0.value] }
        let edited = await till.type(["edit", "LP-1"] + flags)
        XCTAssertEqual(edited.exitCode, .done, edited.messages)
        let expected = RecordField.allCases.map { $0 == .sku ? "LP-1" : values[$0.rawValue] ?? "?" }
        XCTAssertEqual(edited.rows, [expected])
        let shown = await till.type("show", "LP-1")
        XCTAssertEqual(shown.rows, [expected])

        let optional = RecordField.allCases.filter { !$0.isRequired }
        let cleared = await till.type(["edit", "LP-1"] + optional.flatMap { ["--clear", $0.rawValue] })
        XCTAssertEqual(
            cleared.rows, [zip(RecordField.allCases, expected).map { $0.isRequired ? $1 : "" }], cleared.messages)
    }

    func testVerboseNamesNoHostForTheStore() async throws {
        let till = try Till()
        _ = await till.add("A")
        let shown = await till.type("show", "A", "--verbose")
        XCTAssertTrue(shown.messages.contains("/batch: 200"), shown.messages)
        XCTAssertFalse(shown.messages.contains("invalid"), shown.messages)
    }
}
