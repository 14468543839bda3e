import TestSupport
import XCTest

@testable import RecordInventory

final class DiscogsExportTests: TimedTestCase {
    func testASoldRecordHasNoCopies() throws {
        let rows = try ImportRow.all(
            in: "listing_id,artist,title,price,status,quantity\n1,A,T,1,Sold,3\n2,A,T,1,sold,0\n3,A,T,1,Sold,\n"
                + "4,A,T,1,For Sale,3\n", currency: "EUR")
        XCTAssertEqual(try rows.map { try $0.get().record.quantity }, [0, 0, 0, 3])
        XCTAssertEqual(try rows.map { try $0.get().record.status }, [.sold, .sold, .sold, .forSale])
        XCTAssertEqual(rows.map(\.notes), [["quantity 3 became 0: the status is \"Sold\""], [], [], []])
    }

    func testASoldListingEmptiesTheStockAlsoWithoutAColumnForIt() throws {
        let rows = try ImportRow.all(
            in: "listing_id,artist,title,price,status\n1,A,T,1,Sold\n2,A,T,1,For Sale\n", currency: "EUR")
        XCTAssertEqual(rows.map { $0.fields.contains(.quantity) }, [true, false])
    }

    func testAColumnForASKUIsNotPassedOver() throws {
        for (name, isRefused) in [("sku", true), ("external_id", false), ("new", false)] {
            do {
                _ = try DiscogsExport(
                    ["listing_id", "artist", "title", "price", name], Currency("EUR"), hasDecimalCommas: false)
                XCTAssertFalse(isRefused)
            } catch let error as ImportError {
                XCTAssertEqual(error, .bothFormats)
                XCTAssertTrue(isRefused, name)
            }
        }
    }

    func testANoteQuotesThePriceAsTheFileHasIt() throws {
        let rows = try ImportRow.all(
            in: "listing_id;artist;title;price\n1;A;T;14,3191\n2;A;T; 14.3191\n3;A;T;14,3000\n", currency: "GBP")
        XCTAssertEqual(
            rows.map(\.notes),
            [["price 14,3191 was rounded to 14.32 GBP"], ["price 14.3191 was rounded to 14.32 GBP"], []])
    }
}
