import RecordKitJSON
import TestSupport
import XCTest

@testable import RecordInventory

/// Formats and fields of what commands print.
final class OutputTests: TimedTestCase {
    private func filled() async throws -> Till {
        let till = try Till()
        _ = await till.add("LP-1", "--title", "One, \"Two\"", "--price", "18.50", "--discogs-listing", "7")
        _ = await till.add("LP-2", "--price", "5.00", "--currency", "USD", "--quantity", "3")
        return till
    }

    func testEachFormatHasTheFieldsInTheirOrder() async throws {
        let till = try await filled()
        let fields = ["--fields", "title,SKU, price,currency,discogs_listing"]
        for (format, output) in [
            ("tsv", "One, \"Two\"\tLP-1\t18.50\tEUR\t7\nTitle\tLP-2\t5.00\tUSD\t\n"),
            (
                "csv",
                "title,sku,price,currency,discogs_listing\n\"One, \"\"Two\"\"\",LP-1,18.50,EUR,7\nTitle,LP-2,5.00,USD,\n"
            ),
            (
                "ndjson",
                #"{"title":"One, \"Two\"","sku":"LP-1","price":{"amount":1850,"currency":"EUR"},"currency":"EUR","#
                    + #""discogs_listing":7}"# + "\n"
                    + #"{"title":"Title","sku":"LP-2","price":{"amount":500,"currency":"USD"},"currency":"USD","#
                    + #""discogs_listing":null}"# + "\n"
            ),
            (
                "table",
                "title       sku   price  currency  discogs_listing\nOne, \"Two\"  LP-1  18.50  EUR                     7\n"
                    + "Title       LP-2   5.00  USD                      \n"
            ),
        ] {
            let outcome = await till.type(["list", "--output", format] + fields)
            XCTAssertEqual(outcome.exitCode, .done, outcome.messages)
            XCTAssertEqual(outcome.results, output)
        }
        let json = await till.type("list", "--output=json", "--fields", "sku,quantity")
        XCTAssertEqual(json.results, #"[{"sku":"LP-1","quantity":1},{"sku":"LP-2","quantity":3}]"# + "\n")
        let shown = await till.type("show", "LP-2", "--json", "--fields", "quantity")
        XCTAssertEqual(shown.results, #"{"quantity":3}"# + "\n")
    }

    func testAllFieldsAsCSVAreWhatImportReads() async throws {
        let till = try await filled()
        let listed = await till.type("list", "--output", "csv").results
        let exported = await till.type("export", till.folder.path("stock.csv"))
        XCTAssertEqual(exported.exitCode, .done, exported.messages)
        XCTAssertEqual(listed, try till.folder.text(of: "stock.csv"))
        let whole = await till.type("list", "--output", "json").results
        let same = await till.type("list", "--json").results
        XCTAssertEqual(whole, same)
    }

    func testNothingHasAHeaderAlone() async throws {
        let till = try await filled()
        for (format, output) in [("csv", "sku\n"), ("json", "[]\n"), ("ndjson", ""), ("tsv", ""), ("table", "")] {
            let outcome = await till.type(
                "list", "--where", "sku=none", "--output", format, "--fields", "sku")
            XCTAssertEqual(outcome.results, output, format)
        }
    }

    func testATerminalSeesWhatWasAskedFor() async throws {
        let till = try await filled()
        let sentence = await till.type(["sell", "LP-2"], answer: "")
        XCTAssertEqual(sentence.results, "")
        let row = await till.type(["sell", "LP-2", "--fields", "sku,quantity"], answer: "")
        XCTAssertEqual(row.results, "field     value\nsku       LP-2\nquantity  1\n")
        let csv = await till.type(["sell", "LP-2", "--output", "csv", "--fields", "quantity"], answer: "")
        XCTAssertEqual(csv.results, "quantity\n0\n")
        // A title may hold what drives a terminal.
        _ = await till.add("LP-3", "--title", "\u{1B}[2J")
        let safe = await till.type(["show", "LP-3", "--output", "csv", "--fields", "title"], answer: "")
        XCTAssertEqual(safe.results, "title\n\\u001b[2J\n")
        let piped = await till.type("show", "LP-3", "--output", "csv", "--fields", "title")
        XCTAssertEqual(piped.results, "title\n\u{1B}[2J\n")
    }

    func testMovementsAndReservationsHaveFieldsOfTheirOwn() async throws {
        let till = try await filled()
        _ = await till.type("sell", "LP-2", "--id", "S1", "--payment", "cash")
        let csv = await till.type(
            "history", "LP-2", "--output", "csv", "--fields", "kind,quantity,price,currency,payment")
        XCTAssertEqual(csv.results, "kind,quantity,price,currency,payment\nopening,3,,,\nsale,-1,5.00,USD,cash\n")
        let lines = await till.type("history", "LP-2", "--output", "ndjson", "--fields", "sku,kind")
        XCTAssertEqual(
            lines.results,
            #"{"sku":"LP-2","kind":"opening"}"# + "\n"
                + #"{"sku":"LP-2","kind":"sale"}"# + "\n")
        _ = await till.type("reserve", "LP-1", "--for", "Ada")
        let reserved = await till.type("reserve", "--output", "ndjson", "--fields", "title,name,until")
        XCTAssertEqual(reserved.results, #"{"title":"One, \"Two\"","name":"Ada","until":null}"# + "\n")
        // What was made already is shown as movements, whatever fields of a record were asked for.
        let again = await till.type("sell", "LP-2", "--id", "S1", "--fields", "title")
        XCTAssertEqual(again.rows.first?.prefix(4).last, "LP-2", again.results)
        XCTAssertEqual(again.rows.first?.count, Movement.fieldNames.count, again.results)
    }

    func testMistakesAreReportedBeforeAnythingIsDone() async throws {
        let till = try await filled()
        for (arguments, message) in [
            (["sell", "LP-2", "--fields", "pric"], "--fields has no field \"pric\"; it takes sku, artist, title, "),
            (["history", "--fields", "title"], "--fields has no field \"title\"; it takes id, time, kind, "),
            (["reserve", "LP-2", "--for", "A", "--fields", "until"], "--fields has no field \"until\""),
            (["reserve", "--fields", "label"], "it takes sku, artist, title, quantity, name, until"),
            (["list", "--fields", ""], "--fields has no field \"\""),
            (["list", "--output", "xml"], "--output requires one of table, json, ndjson, csv, tsv; not \"xml\""),
            (["list", "--json", "--output", "csv"], "--json and --output csv contradict each other"),
            (["doctor", "--output", "csv"], "--output csv is for lists of records, movements and releases; doctor "),
            (["list", "--fields", "sku,title,SKU"], "--fields has the field sku twice"),
            (["report", "--html", ""], "--html requires a value: FILE"),
            (["doctor", "--fields", "sku"], "there is no option \"--fields\""),
        ] {
            let outcome = await till.type(arguments)
            XCTAssertEqual(outcome.exitCode, .usage, "\(arguments)")
            XCTAssertTrue(outcome.messages.contains(message), "\(arguments): \(outcome.messages)")
        }
        let left = await till.type("show", "LP-2", "--fields", "quantity")
        XCTAssertEqual(left.results, "3\n")
    }
}
