import XCTest

@testable import RecordInventory

final class ImportFormatTests: XCTestCase {
    func testAFileWithASKUIsNotTakenForDiscogs() {
        XCTAssertEqual(ImportFormat(columns: ["listing_id", "artist", "title", "price"]), .discogs)
        XCTAssertEqual(ImportFormat(columns: ["sku", "artist", "title", "price", "listing_id"]), .csv)
        XCTAssertEqual(ImportFormat(columns: ["sku", "artist", "title", "price"]), .csv)
    }
}
