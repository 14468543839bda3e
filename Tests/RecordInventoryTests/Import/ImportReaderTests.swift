import RecordKitJSON
import TestSupport
import XCTest

@testable import RecordInventory

final class ImportReaderTests: TimedTestCase {
    private typealias Row = Result<ImportRow, RowError>

    private func rows(_ text: String, currency: String? = nil, format: ImportFormat? = nil) throws -> [Row] {
        let folder = try TemporaryFolder()
        let file = try InputFile(folder.write(text.utf8))
        var reader = try ImportReader(file, format: format, currency: currency.map { try Currency($0) })
        var rows: [Row] = []
        while let row = try reader.next() { rows.append(row) }
        return rows
    }

    private func refusal(_ text: String, currency: String? = nil, format: ImportFormat? = nil) throws -> ImportError? {
        do {
            _ = try rows(text, currency: currency, format: format)
            return nil
        } catch let error as ImportError {
            return error
        }
    }

    private func reasons(_ rows: [Row]) -> [String] {
        rows.map { $0.reason ?? "good" }
    }

    func testDiscogsNeedsACurrency() throws {
        XCTAssertEqual(try refusal("Listing_ID,Artist,Title,Price\n"), .noCurrency)
        XCTAssertEqual(
            try refusal("listing_id,artist,title,price,price\n", currency: "EUR"), .repeatedColumn("price"))
        XCTAssertEqual(
            try refusal("sku,artist,title,price\n", currency: "EUR", format: .discogs), .missingColumns(["listing_id"]))
    }

    func testColumnsAreCheckedBeforeAnyRow() throws {
        XCTAssertTrue(
            try refusal("sku,artsit,title,price,currency\n")?.description.contains(
                "no fields: \"artsit\" (did you mean artist?); missing: artist; import it with\n"
                    + "  --map 'sku:sku,artist:artsit,title:title,price:price,currency:currency'\n") ?? false)
        XCTAssertTrue(
            try refusal("sku,artist,price,currency\n")?.description.hasPrefix(
                "row 1 has to name the columns; missing: title;") ?? false)
        XCTAssertEqual(try refusal("sku,artist,title,price,currency,listing_id\n"), .bothFormats)
        XCTAssertEqual(try refusal("sku,artist,title,price\n"), .noCurrency)
        XCTAssertEqual(try refusal("sku,artist,title,price,currency,SKU\n"), .repeatedColumn("sku"))
        XCTAssertTrue(
            try refusal("sku,artist,,title,price,currency\n")?.description.contains("no fields: \"\";") ?? false)
        XCTAssertEqual(try refusal("sku,\"artist\n"), .header(.unterminatedQuote))
        guard case .empty = try refusal("\n\n") else { return XCTFail("accepted an empty file") }
        XCTAssertNil(try refusal("SKU,Artist,Title,Price,Media Condition\n", currency: "EUR"))
    }

    func testAllFaultsOfARowAreToldAtOnce() throws {
        let rows = try rows("sku,artist,title,price,currency,year,quantity\n1,\"\",B,5,JPY,soon,-2\n")
        XCTAssertEqual(
            reasons(rows), ["artist: missing; year \"soon\": not a whole number; quantity \"-2\": never negative"])
    }

    func testASKUTwiceIsBadEvenWhenTheFirstRowWas() throws {
        let rows = try rows("sku,artist,title,price,currency\n1,A,B,x,EUR\n1,A,B,5,EUR\n")
        XCTAssertEqual(reasons(rows)[1], "this SKU is already in row 2")
    }

    func testCellsBesideTheColumnsHaveToBeEmpty() throws {
        let rows = try rows("sku,artist,title,price,currency,,\n1,A,B,5,EUR,,\n2,A,B,5,EUR\n3,A,B,5,EUR,,x\n4,A,B,5\n")
        XCTAssertEqual(
            reasons(rows),
            [
                "good", "good", "7 cells, but row 1 names 5 columns",
                "currency: missing; 4 cells, but row 1 names 5 columns",
            ])
    }

    func testBrokenRowsSayWhatIsWrongAndNothingElse() throws {
        let rows = try rows(
            "sku,artist,title,price,currency\n1,\"A\"x,B,5,Euro\n2,A,B,5,EUR\n3,\"A,B,5,EUR\n4,A,B,5,EUR\n")
        XCTAssertEqual(reasons(rows).map { $0.prefix(16) }, ["there is text af", "good", "a cell begins wi"])
        XCTAssertFalse(reasons(rows)[0].contains("currency"), reasons(rows)[0])
        XCTAssertEqual(rows.last?.number, 4)
    }
}

final class ImportFormatTests: TimedTestCase {
    func testAFileWithASKUIsNotTakenForDiscogs() {
        XCTAssertEqual(ImportFormat(columns: ["listing_id", "artist", "title", "price"]), .discogs)
        XCTAssertEqual(ImportFormat(columns: ["sku", "artist", "title", "price", "listing_id"]), .csv)
        XCTAssertEqual(ImportFormat(columns: ["sku", "artist", "title", "price"]), .csv)
    }
}
