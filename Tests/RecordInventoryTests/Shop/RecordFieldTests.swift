import RecordKitJSON
import TestSupport
import XCTest

@testable import RecordInventory

final class RecordFieldTests: TimedTestCase {
    func testNames() throws {
        XCTAssertEqual(
            RecordField.allCases.map(\.rawValue).joined(separator: ","),
            "sku,artist,title,label,catalogue_number,format,year,country,barcode,media_condition,sleeve_condition,"
                + "price,currency,quantity,status,location,notes,discogs_listing,discogs_release,"
                + "genre,cost,consignor")
        XCTAssertEqual(try RecordField(named: " Media-Condition"), .mediaCondition)
        XCTAssertEqual(RecordField.price.jsonPath, "price.amount")
        XCTAssertEqual(RecordField.discogsRelease.jsonPath, "external_ids.discogs_release")
        XCTAssertEqual(RecordField.catalogueNumber.jsonPath, "catalogue_number")
    }

    func testUnknownNamesGetANearMiss() {
        for (name, suggestion) in [
            ("artsit", "artist"), ("titel", "title"), ("catalog_number", "catalogue_number"), ("colour", nil),
            ("quantitiy", "quantity"), ("", nil),
        ] {
            do {
                _ = try RecordField(named: name)
                XCTFail(name)
            } catch {
                XCTAssertEqual(error, UnknownName("field", name, among: [suggestion].compactMap(\.self)))
            }
        }
    }

    func testEveryFieldIsReadBackFromItsText() throws {
        for record in [try RecordTests.full(), try RecordTests.minimal()] {
            var draft = RecordDraft()
            for field in RecordField.allCases {
                try draft.set(field, to: field.text(of: record))
            }
            XCTAssertEqual(try draft.record(), record)
            XCTAssertEqual(try RecordDraft(record).record(), record)
        }
    }

    func testErrorsNameFieldValueAndReason() throws {
        for (field, text, message) in [
            (RecordField.quantity, "-1", #"quantity "-1": never negative"#),
            (.quantity, "4006381333931", #"quantity "4006381333931": out of range; allowed is 0 to 1000000"#),
            (
                .quantity, "99999999999999999999",
                #"quantity "99999999999999999999": out of range; allowed is 0 to 1000000"#
            ),
            (.quantity, "1.5", #"quantity "1.5": not a whole number"#),
            (.quantity, "", "quantity: missing"),
            (.year, "19999", #"year "19999": out of range; allowed is 1860 to 2100"#),
            (.artist, " ", "artist: missing"),
            (.barcode, "12345", #"barcode "12345": 5 digits; a barcode has 8, 12 or 13"#),
            (
                .mediaCondition, "\u{1B}[2J",
                "media_condition \"·[2J\": not a grade; use one of M, NM, VG+, VG, G+, G, F, P"
            ),
            (.notes, "a\u{0}b", #"notes "a·b": holds a character that is no text"#),
            (.discogsListing, "0", #"discogs_listing "0": out of range; allowed is 1 or more"#),
        ] {
            var draft = RecordDraft(try RecordTests.full())
            do {
                try draft.set(field, to: text)
                XCTFail("\(field) took \(text)")
            } catch {
                XCTAssertEqual(error.description, message)
            }
        }
    }

    func testTextsHaveALimit() throws {
        var draft = RecordDraft()
        XCTAssertNoThrow(try draft.set(.notes, to: String(repeating: "x", count: 65_536)))
        XCTAssertThrowsError(try draft.set(.notes, to: String(repeating: "x", count: 65_537))) {
            XCTAssertEqual("\($0)", "notes \"\(String(repeating: "x", count: 60))…\": longer than 64 KiB")
        }
    }

    func testTextIsKeptToTheLetterAndNoneIsNotEmpty() throws {
        var draft = RecordDraft(try RecordTests.minimal())
        try draft.set(.notes, to: " =1+1 ")
        try draft.set(.label, to: "")
        try draft.set(.country, to: nil)
        try draft.set(.barcode, to: " ")
        let record = try draft.record()
        XCTAssertEqual(record.notes, " =1+1 ")
        XCTAssertEqual(record.label, "")
        XCTAssertNil(record.country)
        XCTAssertNil(record.barcode)
    }

    func testAnotherCurrencyTakesThePriceAsItIsWritten() throws {
        var draft = RecordDraft(try RecordTests.full())
        try draft.set(.currency, to: "usd")
        XCTAssertEqual(try draft.record().price, Money(amount: 1850, currency: try Currency("USD")))
        try draft.set(.currency, to: "JPY")
        XCTAssertThrowsError(try draft.record())
        try draft.set(.price, to: "1500")
        XCTAssertEqual(try draft.record().price, Money(amount: 1500, currency: try Currency("JPY")))
    }

    func testMissingFieldsAreNamed() throws {
        var draft = RecordDraft()
        for field in [RecordField.sku, .artist, .title, .price, .currency] {
            XCTAssertThrowsError(try draft.record()) { XCTAssertEqual("\($0)", "\(field.rawValue): missing") }
            try draft.set(field, to: field.text(of: RecordTests.full()))
        }
        let record = try draft.record()
        XCTAssertEqual(record.quantity, 1)
        XCTAssertEqual(record.status, .forSale)
    }

    func testValuesCompareAsNumbersAndTexts() throws {
        let full = try RecordTests.full()
        let minimal = try RecordTests.minimal()
        XCTAssertEqual(RecordField.price.value(of: full), try RecordField.price.value(from: "18.5"))
        XCTAssertLessThan(RecordField.price.value(of: full), try RecordField.price.value(from: "100"))
        XCTAssertLessThan(RecordField.year.value(of: minimal), RecordField.year.value(of: full))
        XCTAssertEqual(RecordField.barcode.value(of: full), try RecordField.barcode.value(from: "4 006381 333931"))
        XCTAssertEqual(
            RecordField.sleeveCondition.value(of: full), try RecordField.sleeveCondition.value(from: "Not Graded"))
        XCTAssertEqual(RecordField.label.value(of: full), try RecordField.label.value(from: ""))
        XCTAssertEqual(RecordField.barcode.value(of: minimal), try RecordField.barcode.value(from: ""))
        XCTAssertEqual(try RecordField.quantity.value(from: "-5"), .number(-5))
        XCTAssertThrowsError(try RecordField.quantity.value(from: "many"))
        XCTAssertThrowsError(try RecordField.price.value(from: "1.00001"))
    }
}
