import RecordKitJSON
import TestSupport
import XCTest

@testable import RecordInventory

final class ImportReaderTests: TimedTestCase {
    private typealias Row = Result<ImportRow, RowError>

    private func rows(sample name: String, currency: String? = nil) throws -> [Row] {
        try rows(path: Sample.url(name).path, currency: currency)
    }

    private func rows(_ text: String, currency: String? = nil, format: ImportFormat? = nil) throws -> [Row] {
        let folder = try TemporaryFolder()
        return try rows(path: folder.write(text.utf8), currency: currency, format: format)
    }

    private func rows(path: String, currency: String?, format: ImportFormat? = nil) throws -> [Row] {
        var reader = try ImportReader(InputFile(path), format: format, currency: currency.map { try Currency($0) })
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

    func testDiscogsExport() throws {
        for name in ["discogs-inventory-export-utf8.csv", "discogs-inventory-export-bom.csv"] {
            let rows = try rows(sample: name, currency: "EUR")
            XCTAssertEqual(rows.map(\.number), [2, 3, 4])
            XCTAssertTrue(rows.allSatisfy(\.notes.isEmpty))
            XCTAssertEqual(
                try rows.map { try $0.get().record.json.text() },
                [
                    #"{"sku":"SKU-0001","artist":"Die Übungsgruppe","title":"Kaffee & Kuchen","#
                        + #""label":"Übung Records","catalogue_number":"ÜB 001","format":"LP, Album","year":null,"#
                        + #""country":null,"barcode":null,"media_condition":"VG+","sleeve_condition":"VG","#
                        + #""price":{"amount":1850,"currency":"EUR"},"quantity":1,"status":"for_sale","#
                        + #""location":"A-12","notes":"Two lines:\nplays fine","#
                        + #""external_ids":{"discogs_listing":900000001,"discogs_release":800001}}"#,
                    #"{"sku":"SKU-0002","artist":"The Placeholder Five","title":"Lorem Ipsum (Live \"91\")","#
                        + #""label":"Placeholder","catalogue_number":"PH-7002, PH 7002","format":"7\", Single","#
                        + #""year":null,"country":null,"barcode":null,"media_condition":"NM","#
                        + #""sleeve_condition":"generic","price":{"amount":400,"currency":"EUR"},"quantity":1,"#
                        + #""status":"for_sale","location":"S-03","notes":null,"#
                        + #""external_ids":{"discogs_listing":900000002,"discogs_release":800002}}"#,
                    #"{"sku":"00042","artist":"サンプル楽団","title":"見本盤","label":"Example","#
                        + #""catalogue_number":"EXMP-3","format":"CD, Album, Promo","year":null,"country":null,"#
                        + #""barcode":null,"media_condition":"M","sleeve_condition":"not_graded","#
                        + #""price":{"amount":1299,"currency":"EUR"},"quantity":1,"status":"draft","#
                        + #""location":"CD-1","notes":"=1+1","#
                        + #""external_ids":{"discogs_listing":900000003,"discogs_release":800003}}"#,
                ])
        }
    }

    func testDiscogsRowsThatNeedAHand() throws {
        let header = "listing_id,artist,title,price,status,external_id,quantity,sleeve_condition,brand_new_column\n"
        let rows = try rows(
            header + "11,A,T,14.319139100000001,For Sale,,,No Cover,x\n" + "12,A,T,10.005,Expired, ,3,,x\n"
                + "13,A,T,10.0000,Sold,X-1,2,,\n" + "14,A,T,1,Deleted,,,,\n" + "15,A,T,1,Lost,,,,\n" + "16,A,T,,,,,,\n"
                + "17,A,T,1,Sold,,,,\n18,A,T,1,Suspended,,,,\n19,A,T,1,Violation,,,,\n", currency: "GBP")
        let first = try rows[0].get().record
        XCTAssertEqual(first.sku.text, "discogs-11")
        XCTAssertEqual(first.price.decimalText, "14.32")
        XCTAssertEqual(first.quantity, 1)
        XCTAssertEqual(first.sleeveCondition, .missing)
        XCTAssertEqual(rows[0].notes, ["price 14.319139100000001 was rounded to 14.32 GBP"])
        let second = try rows[1].get().record
        XCTAssertEqual(
            [second.sku.text, second.price.decimalText, "\(second.quantity)"], ["discogs-12", "10.00", "3"])
        XCTAssertEqual(second.status, .draft)
        XCTAssertEqual(rows[1].notes, ["status \"Expired\" became draft", "price 10.005 was rounded to 10.00 GBP"])
        XCTAssertEqual(try rows[2].get().record.sku.text, "X-1")
        XCTAssertEqual(rows[2].notes, ["quantity 2 became 0: the status is \"Sold\""])
        XCTAssertEqual(try [2, 6].map { try rows[$0].get().record.quantity }, [0, 0], "the copies were sold")
        XCTAssertEqual(try rows[7...].map { try $0.get().record.status }, [.draft, .draft])
        XCTAssertEqual(
            reasons(Array(rows[3..<6])),
            [
                "the listing was deleted on Discogs",
                "status \"Lost\": not a status; use one of draft, for_sale, sold", "price: missing",
            ])
    }

    func testDiscogsNeedsACurrency() throws {
        XCTAssertEqual(try refusal("Listing_ID,Artist,Title,Price\n"), .noCurrency)
        XCTAssertEqual(
            try refusal("listing_id,artist,title,price,price\n", currency: "EUR"), .repeatedColumn("price"))
        XCTAssertEqual(
            try refusal("sku,artist,title,price\n", currency: "EUR", format: .discogs), .missingColumns(["listing_id"]))
    }

    func testBadRowsAreReportedAndGoodOnesRead() throws {
        let rows = try rows(sample: "inventory-bad-rows.csv")
        XCTAssertEqual(
            reasons(rows),
            [
                "good",
                "barcode \"4006381333932\": mistyped or misread: with these digits before it, the last one would be 1",
                "barcode \"4.00638E+12\": a spreadsheet shortened it and lost digits; make the column a text column and "
                    + "enter the barcode again",
                "quantity \"-1\": never negative",
                "media_condition \"Superb\": not a grade; use one of M, NM, VG+, VG, G+, G, F, P",
                "this SKU is already in row 2",
                "price \"10.005\": too many decimals; the currency has 2",
                "price \"1500.50\": too many decimals; the currency has none",
                "title: missing; 2 cells, but row 1 names 8 columns",
            ])
        XCTAssertEqual(rows.map(\.number), Array(2...10))
        guard case .failure(let error) = rows[8] else { return XCTFail("accepted a short row") }
        XCTAssertEqual(
            error,
            RowError(row: 10, sku: "SKU-8", reason: "title: missing; 2 cells, but row 1 names 8 columns"))
    }

    func testAFileInAnotherEncodingIsRefused() throws {
        XCTAssertThrowsError(try rows(sample: "inventory-windows1252-semicolon.csv", currency: "EUR")) { error in
            XCTAssertTrue("\(error)".contains("line 2 looks like Windows-1252"), "\(error)")
        }
    }

    func testDecimalCommasWhereCommasDoNotDivideCells() throws {
        let rows = try rows(
            "sku;artist;title;price;quantity;barcode\r\nSKU-1;Übung;K & K;18,50;1;0036000291452\r\n"
                + "SKU-2;A;B;1.850,00;1;\r\nSKU-3;A;B;18.50;1;\r\nSKU-4;A;B;1,850;1;\r\n", currency: "EUR")
        XCTAssertEqual(try rows[0].get().record.price, Money(amount: 1850, currency: try Currency("EUR")))
        XCTAssertEqual(try rows[2].get().record.price, Money(amount: 1850, currency: try Currency("EUR")))
        XCTAssertTrue(reasons(rows)[1].contains("thousands"), reasons(rows)[1])
        XCTAssertTrue(reasons(rows)[3].contains("could be 1850 or 1.85"), reasons(rows)[3])
        let discogs = try self.rows("listing_id\tartist\ttitle\tprice\n1\tA\tB\t18,50\n", currency: "EUR")
        XCTAssertEqual(try discogs[0].get().record.price, Money(amount: 1850, currency: try Currency("EUR")))
        XCTAssertTrue(
            reasons(try self.rows("sku,artist,title,price\n1,A,B,\"18,50\"\n", currency: "EUR"))[0].contains(
                "decimal point"))
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

    func testTheRowsOwnCurrencyWins() throws {
        let rows = try rows(
            "sku,artist,title,price,currency\n1,A,B,5,JPY\n2,A,B,5,\n3,A,B,5,\"\"\n4,A,B,5,Yen\n", currency: "EUR")
        XCTAssertEqual(try rows[0].get().record.price.currency.code, "JPY")
        XCTAssertEqual(try rows[1].get().record.price.currency.code, "EUR")
        XCTAssertEqual(try rows[2].get().record.price.currency.code, "EUR")
        XCTAssertTrue(reasons(rows)[3].hasPrefix("currency \"Yen\": not a currency code"))
        XCTAssertEqual(reasons(try self.rows("sku,artist,title,price,currency\n2,A,B,5,\n")), ["currency: missing"])
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
