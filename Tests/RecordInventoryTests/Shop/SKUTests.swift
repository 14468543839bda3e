import TestSupport
import XCTest

@testable import RecordInventory

final class SKUTests: TimedTestCase {
    func testTakesAnyTextOfAtMost64Characters() throws {
        XCTAssertEqual(try SKU("  LP 0042 ").text, "LP 0042")
        XCTAssertEqual(try SKU("00042").text, "00042")
        XCTAssertEqual(try SKU("見本盤/7\"").text, "見本盤/7\"")
        XCTAssertNoThrow(try SKU(String(repeating: "é", count: 64)))
        for text in [
            "", "   ", "a\nb", "a\tb", "a\u{0}b", "a\u{2028}b", "\u{200E}\u{FEFF}",
            String(repeating: "é", count: 65),
            "a" + String(repeating: "\u{301}", count: 600),
        ] { XCTAssertThrowsError(try SKU(text), text) }
    }

    func testMarksAroundASKUAreNoPartOfIt() throws {
        for text in ["\u{200E}0042", "0042\u{200B} ", "\u{FEFF}0042", "\u{2068} 0042\u{2069}"] {
            XCTAssertEqual(try SKU(text).text, "0042")
        }
        XCTAssertEqual(try SKU("👨‍👩‍👧 می‌خواهم").text, "👨‍👩‍👧 می‌خواهم", "joiners within a text are a part of it")
    }

    func testOneSKUHoweverItsLettersAreComposed() throws {
        let composed = try SKU("\u{DC}bung")
        let decomposed = try SKU("U\u{308}bung")
        XCTAssertEqual(composed, decomposed)
        XCTAssertEqual(composed.recordID, decomposed.recordID)
    }

    func testRecordIDsOfReadableSKUsAreThemselves() throws {
        for text in ["LP-0042", "SKU_1", "a", "9", "x-1", "discogs-900000001", "A__b--"] {
            XCTAssertEqual(try SKU(text).recordID, text)
        }
        XCTAssertEqual(try SKU("LP 42").recordID, "x--LP_2042")
        XCTAssertEqual(try SKU("_a").recordID, "x--__a")
        XCTAssertEqual(try SKU("-").recordID, "x---")
        XCTAssertEqual(try SKU("x--LP_2042").recordID, "x--x--LP__2042")
        XCTAssertEqual(try SKU("Ü").recordID, "x--_c3_9c")
        XCTAssertNotEqual(try SKU("lp").recordID, try SKU("LP").recordID)
    }

    func testRecordIDsAreDistinctAndGiveTheSKUBack() throws {
        var generator = SeededGenerator(seed: 42)
        let alphabet = Array("abXYx019--__  /%.é見🎵\"'")
        var ids: [String: SKU] = [:]
        for _ in 0..<20_000 {
            let length = Int.random(in: 1...6, using: &generator)
            let text = String((0..<length).map { _ in alphabet.randomElement(using: &generator) ?? "a" })
            let prefix = Bool.random(using: &generator) ? "x--" : ""
            guard let sku = try? SKU(prefix + text) else { continue }
            let id = sku.recordID
            XCTAssertNotNil(id.wholeMatch(of: /[a-zA-Z0-9][a-zA-Z0-9_-]*/), id)
            XCTAssertEqual(SKU(recordID: id), sku, id)
            XCTAssertEqual(ids.updateValue(sku, forKey: id) ?? sku, sku, "two SKUs share the id \(id)")
        }
        XCTAssertGreaterThan(ids.count, 5_000)
    }

    func testRefusesIDsThatNoSKUIsWrittenAs() {
        for id in ["x--LP", "x--_4", "x--_zz", "x--_41b", "x--_ff_fe", "x--_C3_9C", "x--_+1", "x--", "_a", "a b", ""] {
            XCTAssertNil(SKU(recordID: id), id)
        }
    }

    func testRandomSKUsAreShortReadableAndDiffer() throws {
        var generator = SeededGenerator(seed: 7)
        var seen: Set<SKU> = []
        for _ in 0..<1_000 {
            let sku = SKU.random(using: &generator)
            XCTAssertNotNil(sku.text.wholeMatch(of: /[A-HJ-KM-NP-TV-Z][A-HJ-KM-NP-TV-Z2-9]{3}-[A-HJ-KM-NP-TV-Z2-9]{4}/))
            XCTAssertEqual(try SKU(sku.text), sku)
            seen.insert(sku)
        }
        XCTAssertEqual(seen.count, 1_000)
    }
}
