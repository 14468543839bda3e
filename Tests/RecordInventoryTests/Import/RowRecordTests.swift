import TestSupport
import XCTest

@testable import RecordInventory

final class RowRecordTests: TimedTestCase {
    func testThousandsThatMayBeDecimalsAreRefused() throws {
        let ambiguous = [
            ("1,850", "EUR", "1850 or 1.85"), ("1.850", "EUR", "1850 or 1.85"), ("14,319", "EUR", "14319 or 14.32"),
            ("850.000", "JPY", "850000 or 850"),
        ]
        for (header, row) in [("listing_id;artist;title;price", "1;A;T;"), ("sku;artist;title;price", "1;A;T;")] {
            for (price, currency, readings) in ambiguous {
                let rows = try ImportRow.all(in: "\(header)\n\(row)\(price)\n", currency: currency)
                XCTAssertEqual(
                    rows[0].reason,
                    "price \"\(price)\": could be \(readings); write it without a thousands separator")
            }
        }
    }

    func testASoldRecordHasNoCopies() throws {
        let rows = try ImportRow.all(
            in: "sku,artist,title,price,status,quantity\n1,A,T,1,Sold,3\n2,A,T,1,sold,0\n3,A,T,1,sold,\n"
                + "4,A,T,1,for_sale,3\n", currency: "EUR")
        XCTAssertEqual(try rows.map { try $0.get().record.quantity }, [0, 0, 0, 3])
        XCTAssertEqual(rows.map(\.notes), [["quantity 3 became 0: the status is \"Sold\""], [], [], []])
        let withoutQuantity = try ImportRow.all(
            in: "sku,artist,title,price,status\n1,A,T,1,sold\n2,A,T,1,draft\n", currency: "EUR")
        XCTAssertEqual(try withoutQuantity.map { try $0.get().record.quantity }, [0, 1])
    }

    func testAPriceThatCanOnlyBeDecimalIsTaken() throws {
        for (price, currency, amount) in [
            ("1,850", "KWD", 1_850), ("0,850", "EUR", 85), ("1,85", "EUR", 185), ("1,8500", "EUR", 185),
            ("1850", "EUR", 185_000), ("1850,000", "EUR", 185_000),
        ] as [(String, String, Int64)] {
            let rows = try ImportRow.all(in: "listing_id;artist;title;price\n1;A;T;\(price)\n", currency: currency)
            XCTAssertEqual(try rows[0].get().record.price.amount, amount, price)
        }
        let rows = try ImportRow.all(in: "listing_id,artist,title,price\n1,A,T,1.850\n", currency: "EUR")
        XCTAssertEqual(try rows[0].get().record.price.amount, 185, "the decimal separator is a point")
    }

    func testALineBreakInANameIsNoted() throws {
        let rows = try ImportRow.all(
            in: "sku,artist,title,price,currency,quantity,label,notes\nM-1,Bowie,\"Heroes,10,EUR,1\n"
                + "M-2,Bowie,Low 12\",11,EUR,1,,\nM-3,\"A\rB\",T,1,EUR,1,\"C\r\nD\",\"two\nlines\"\n")
        XCTAssertEqual(try rows.map { try $0.get().record.sku.text }, ["M-1", "M-3"])
        XCTAssertEqual(
            rows.map(\.notes),
            [
                ["title has a line break: is a quotation mark missing?"],
                [
                    "artist has a line break: is a quotation mark missing?",
                    "label has a line break: is a quotation mark missing?",
                ],
            ])
    }

    func testCellsThatAreMissingAtTheEndAreEmpty() throws {
        let rows = try ImportRow.all(
            in: "sku,artist,title,price,quantity,notes,currency\n1,A,T,5\n2,A,T,5,2\n3,A,T\n4\n", currency: "EUR")
        XCTAssertEqual(
            rows.map(\.reason),
            [
                nil, nil, "price: missing; 3 cells, but row 1 names 7 columns",
                "artist: missing; 1 cell, but row 1 names 7 columns",
            ])
        XCTAssertEqual(try rows[..<2].map { try $0.get().record.quantity }, [1, 2])
        XCTAssertEqual(try rows[0].get().record.price, Money(amount: 500, currency: try Currency("EUR")))
        let discogs = try ImportRow.all(
            in: "listing_id,artist,title,price,quantity,comments\n1,A,T,5\n2,A,T\n", currency: "EUR")
        XCTAssertEqual(discogs.map(\.reason), [nil, "price: missing; 3 cells, but row 1 names 6 columns"])
    }

    func testARowThatTheFileEndsInIsRefused() throws {
        let header = "sku,artist,title,price,currency,notes"
        let rows = try ImportRow.all(in: "\(header)\n1,A,T,5,EUR\n2,A,T,1", currency: "EUR")
        XCTAssertEqual(
            rows.map(\.reason), [nil, "4 cells, but row 1 names 6 columns; the file ends within this row"])
        let whole = try ImportRow.all(in: "\(header)\n1,A,T,5,EUR,fine")
        XCTAssertEqual(whole.map(\.reason), [nil])
    }

    func testCellsThatAreMissingAtTheEndSayNothing() throws {
        let rows = try ImportRow.all(
            in: "sku,artist,title,price,currency,quantity,notes\n1,A,T,5,EUR\n2,A,T,5,EUR,1,\n")
        XCTAssertFalse(rows[0].fields.contains(.notes), "an update keeps the notes")
        XCTAssertTrue(rows[1].fields.contains(.notes), "an empty cell clears the notes")
        let discogs = try ImportRow.all(
            in: "listing_id,artist,title,price,comments\n1,A,T,5\n", currency: "EUR")
        XCTAssertFalse(discogs[0].fields.contains(.notes))
    }

    func testAMessageQuotesThePriceAsTheFileHasIt() throws {
        let rows = try ImportRow.all(
            in: "sku;artist;title;price\n1;A;T;1 850,00\n2;A;T;0,855\n", currency: "EUR")
        XCTAssertEqual(
            rows.map { $0.reason?.prefix(18) }, ["price \"1 850,00\": ", "price \"0,855\": too"])
    }

    func testATextThatASpreadsheetProtectedIsRead() throws {
        let rows = try ImportRow.all(
            in: "sku,artist,title,price,currency,quantity,catalogue_number,notes\n"
                + "=\"0042\",=\"A\",=\"7\"\" EP\",=\"5.00\",=\"EUR\",=\"\",=\"007\",=1+1\n"
                + "2,\"=\"\"0042\"\"\",=\"a\"&\"b\",5,EUR,1,=\",=\"\"\n")
        let (first, second) = (try rows[0].get().record, try rows[1].get().record)
        XCTAssertEqual(
            [first.sku.text, first.artist, first.title, first.catalogueNumber, first.notes],
            ["0042", "A", "7\" EP", "007", "=1+1"])
        XCTAssertEqual(first.price.amount, 500)
        XCTAssertEqual(first.quantity, 1)
        XCTAssertEqual(
            [second.artist, second.title, second.catalogueNumber, second.notes],
            ["=\"0042\"", "ab", "=\"", ""])
        let discogs = try ImportRow.all(
            in: "listing_id,artist,title,price,external_id\n=\"11\",A,T,=\"5\",=\"00042\"\n", currency: "EUR")
        XCTAssertEqual(try discogs[0].get().record.sku.text, "00042")
        XCTAssertEqual(try discogs[0].get().record.externalIDs.discogsListing, 11)
    }
}
