import TestSupport
import XCTest

@testable import RecordInventory

/// Files of other systems, whose columns are named by a map.
final class ColumnMapTests: TimedTestCase {
    private static let fields =
        "sku,artist,title,catalogue_number,format,year,barcode,media_condition,sleeve_condition,price,quantity,status,location"

    private func sample(_ name: String) throws -> String { try Sample.url(name + ".csv").path }

    private func rows(_ till: Till) async -> [String] {
        await till.type("list", "--fields", Self.fields).rows.map { $0.joined(separator: "|") }
    }

    func testTheMapsThatComeWithTheToolImportTheirSamples() async throws {
        let barcode = "4006381333931"
        for (name, expected) in [
            (
                "shopify",
                [
                    "MQ-0007-NM|Mara Quill|Night Bus||12\"||0601215123456|NM||12.50|1|for_sale|",
                    "MQ-0007-VG|Mara Quill|Night Bus||12\"|||VG+||9.00|2|for_sale|",
                    "TO-0001|The Tin Orchard|Low Tide||LP||\(barcode)|||24.90|3|for_sale|",
                ]
            ),
            (
                "square",
                [
                    "MQ-0007-NM|Mara Quill, 12\"|Night Bus|||||NM||0.00|1|draft|",
                    "TO-0001|The Tin Orchard|Low Tide||||\(barcode)|||24.90|3|for_sale|",
                ]
            ),
            (
                "woocommerce",
                [
                    "MQ-0007|Mara Quill|Night Bus|||||||12.50|2|for_sale|",
                    "TO-0001|The Tin Orchard|Low Tide||||\(barcode)|||24.90|3|for_sale|",
                ]
            ),
            (
                "discogs-collection",
                [
                    "release-7530535|The Tin Orchard|Low Tide|OTO 2|LP, Album, RE|1979||NM|VG+|0.00|1|draft|Uncategorized",
                    "release-955745|Mara Quill|Night Bus|TAP 1|12\"|1994||VG|generic|0.00|1|draft|Bin 3",
                ]
            ),
        ] {
            let till = try Till()
            let refused = await till.type("import", try sample(name), "--currency", "EUR")
            XCTAssertEqual(refused.exitCode, .badData)
            XCTAssertTrue(refused.messages.contains("\n  --map \(name)\n"), refused.messages)
            let outcome = await till.type("import", try sample(name), "--map", name, "--currency", "EUR")
            XCTAssertEqual(outcome.exitCode, .done, outcome.messages)
            let rows = await rows(till)
            XCTAssertEqual(rows, expected, name)
        }
    }

    func testTheOtherSamplesAreImportedWithAMapWrittenByHand() async throws {
        for (name, map, expected) in [
            (
                "bandcamp-orders",
                "sku:sku,artist:artist,title:item name,price:item price,currency:currency,format:package,quantity=0",
                [
                    "MQ-0007|Mara Quill|Night Bus||12\"|||||12.50|0|for_sale|",
                    "TO-0001|The Tin Orchard|Low Tide||LP|||||24.90|0|for_sale|",
                ]
            ),
            (
                "discogs-upload",
                "sku:external_id,artist=Various,title:release_id,discogs_release:release_id,price:price,currency=EUR,"
                    + "media_condition:media_condition,sleeve_condition:sleeve_condition,status:status,location:location",
                [
                    "MQ-0007|Various|955745|||||VG|generic|12.50|1|draft|B-03",
                    "TO-0001|Various|7530535|||||NM|VG+|24.90|1|for_sale|B-01",
                ]
            ),
        ] {
            let till = try Till()
            let outcome = await till.type("import", try sample(name), "--map", map)
            XCTAssertEqual(outcome.exitCode, .done, outcome.messages)
            XCTAssertEqual(outcome.messages, "")
            let rows = await rows(till)
            XCTAssertEqual(rows, expected, name)
        }
    }

    func testARefusalNamesAllColumnsAndAMapToCopy() async throws {
        let till = try Till()
        let outcome = await till.type("import", try sample("bandcamp-orders"))
        XCTAssertEqual(outcome.exitCode, .badData)
        XCTAssertTrue(
            outcome.messages.contains(
                "row 1 has columns that are no fields: \"date\", \"paid to\", \"item type\", \"item name\", "
                    + "\"item price\", \"sub total\", \"package\", \"option\", \"buyer name\"; missing: title, price; "
                    + "this is Bandcamp's report of orders, whose quantities were sold and are not in stock: import it with"
            ),
            outcome.messages)
        let line = try XCTUnwrap(outcome.messages.split(separator: "\n").first { $0.hasPrefix("  --map '") })
        let copied = await till.type(
            "import", try sample("bandcamp-orders"), "--map", String(line.dropFirst(9).dropLast()))
        XCTAssertEqual(copied.results, "2 created, 0 updated, 0 unchanged, 0 rejected\n", copied.messages)
        let sold = await till.type(
            "import", try sample("bandcamp-orders"), "--map",
            "sku:sku,artist:artist,title:item name,price:item price,currency:currency,quantity:quantity")
        XCTAssertTrue(sold.messages.contains("quantities were sold and are not in stock"), sold.messages)
        let other = await till.type(
            "import", try till.file("1,A", header: "Ref. 'x',\"Band, main\""))
        XCTAssertTrue(other.messages.contains("missing: sku, artist, title, price;"), other.messages)
        XCTAssertTrue(
            other.messages.contains("--map 'sku:…,title:…,price:…,artist:\"Band, main\",currency=EUR'"), other.messages)
    }

    func testAMapThatDoesNotFitNamesEverything() async throws {
        let till = try Till()
        let file = try till.file("1,A,T,5", header: "No,Band,Album,Price")
        for (map, message) in [
            (
                "sku:Nr,artist:Group,title:Album,price:Price,currency=EUR",
                "columns that the file lacks: \"Nr\", \"Group\";"
            ),
            ("sku:No,title:Album", "the map lacks artist, price (add artist:HEADING,price:HEADING, or FIELD=VALUE"),
            ("sku:No,artist:…,title:Album", "\"…\"; it lacks price"),
            ("sku:No", "there are: \"No\", \"Band\", \"Album\""),
            ("sku:No,artist:Band,title:Album,price:Price", "--currency"), ("shopfy", "did you mean shopify?"),
            ("sku:No,shopify", "\"shopify\" is neither"), ("skuu:No", "did you mean sku?"), ("sku:\"No", "not closed"),
            ("sku:No,sku=1", "a SKU of its own"), ("sku:", "sku has no heading"), ("artist=A", "names no column"),
            ("sku:No,status=gone", "status \"gone\""), ("sku:\"No\"x", "after a closing"), ("", "names no column"),
            ("year=1,year=2,sku:No", "year \"1\""), ("year=1999,year=2000,sku:No", "two values"),
        ] {
            let outcome = await till.type("import", file, "--map", map)
            XCTAssertEqual(outcome.exitCode, .usage, map)
            let said = outcome.messages.replacing("the columns of the file are", with: "there are")
            XCTAssertTrue(said.contains(message), "\(map): \(outcome.messages)")
        }
        for options in [["--from", "csv"], ["--save-map", "a b"], ["--save-map", "shopify"]] {
            let outcome = await till.type(["import", file, "--map", "sku:No"] + options)
            XCTAssertEqual(outcome.exitCode, .usage)
        }
    }

    func testHeadingsAreQuotedAsInCSV() throws {
        let text = "\"barcode:GTIN, UPC\",sku: \"No \"\"1\"\"\" , media-condition:Grade\nstatus=draft"
        let map = try ColumnMap(text) { _ in ColumnMap() }
        XCTAssertEqual(map.columns.map(\.heading), ["GTIN, UPC", "No \"1\"", "Grade"])
        XCTAssertEqual(map.columns.map(\.field), [.barcode, .sku, .mediaCondition])
        XCTAssertEqual(map.constants, [.status: "draft"])
        XCTAssertEqual(try ColumnMap(map.text) { _ in ColumnMap() }, map)
    }

    func testAMapIsSavedAndExtended() async throws {
        let till = try Till()
        let environment = ["XDG_CONFIG_HOME": till.folder.url.path]
        let map = "sku:No,artist:Band,title:Album,price:Price,currency=EUR"
        let file = try till.file("1,A,T,5", header: "No,Band,Album,Price")
        let dry = await till.type(
            "import", file, "--map", map, "--save-map", "mine", "--dry-run", environment: environment)
        XCTAssertEqual(dry.exitCode, .done, dry.messages)
        let unknown = await till.type("import", file, "--map", "mine", environment: environment)
        XCTAssertEqual(unknown.exitCode, .usage, "a dry run writes nothing")
        _ = await till.type("import", file, "--map", map, "--save-map", "mine", environment: environment)
        let named = await till.type(
            "import", file, "--map", "mine,artist=Various", "--on-duplicate", "update", environment: environment)
        XCTAssertEqual(named.results, "0 created, 1 updated, 0 unchanged, 0 rejected\n", named.messages)
        let square = await till.type(
            "import", try sample("square"), "--map", "square,artist=Various,currency=EUR", environment: environment)
        XCTAssertEqual(square.exitCode, .done, square.messages)
        let artists = await till.type("list", "--fields", "artist").skus
        XCTAssertEqual(artists, ["Various", "Various", "Various"])
    }

    func testAnUpdateLeavesWhatTheFileDoesNotSay() async throws {
        let till = try Till()
        let map = ["--map", "discogs-collection,currency=EUR", "--on-duplicate", "update"]
        _ = await till.type(["import", try sample("discogs-collection")] + map)
        _ = await till.type("edit", "release-955745", "--price", "12.00", "--status", "for_sale")
        let again = await till.type(["import", try sample("discogs-collection")] + map)
        XCTAssertEqual(again.results, "0 created, 0 updated, 2 unchanged, 0 rejected\n", again.messages)
        _ = await till.add("MQ-0007-NM", "--price", "7.00", "--status", "for_sale")
        _ = await till.type("import", try sample("square"), "--map", "square,currency=EUR", "--on-duplicate", "update")
        let shown = await till.type("show", "MQ-0007-NM").rows[0]
        XCTAssertEqual([shown[1], shown[11], shown[14]], ["Mara Quill, 12\"", "7.00", "for_sale"])
    }

    func testRowsOfAProductAreReadAndPicturesLeftOut() async throws {
        let till = try Till()
        let shopify = try till.file(
            "a,T,V,Shirt,Size,M,S-1,3,5.00,active", "a,,,,,,,,,",
            "b,T2,V2,CD,Condition,Very Good Plus,S-2,1,\"$1,000.00\",archived",
            "b,,,,,,S-3,-2,5.00,",
            header:
                "Handle,Title,Vendor,Type,Option1 Name,Option1 Value,Variant SKU,Variant Inventory Qty,Variant Price,Status"
        )
        let outcome = await till.type("import", shopify, "--map", "shopify", "--currency", "USD")
        XCTAssertEqual(outcome.results, "1 created, 0 updated, 0 unchanged, 2 rejected\n", outcome.messages)
        XCTAssertTrue(outcome.messages.contains("row 4 (S-2): price \"1,000.00\""), outcome.messages)
        let square = try till.file(
            "1,A - B: C - D,Regular,S-4,5,2.0,3,", "2,E,F,S-5,5,,,",
            header: "Token,Item Name,Variation Name,SKU,Price,Current Quantity A,Current Quantity B,Current Quantity C")
        let sums = await till.type("import", square, "--map", "square,currency=USD")
        XCTAssertTrue(sums.messages.contains("row 3 (S-5): artist: missing"), sums.messages)
        let rows = await rows(till)
        XCTAssertEqual(
            rows, ["S-1|V|T||Shirt|||||5.00|3|for_sale|", "S-4|A|B: C - D|||||||5.00|5|for_sale|"])
        let woo = try till.file(
            "S-6,A - B,5,,0,1", "S-7,A - B,5.0000,4,1,-1", header: "SKU,Name,Regular price,Stock,In stock?,Published")
        _ = await till.type("import", woo, "--map", "woocommerce,currency=USD")
        let quantities = await till.type("list", "--fields", "sku,quantity,status").rows.suffix(2)
        XCTAssertEqual(Array(quantities), [["S-6", "0", "for_sale"], ["S-7", "4", "draft"]])
    }
}
