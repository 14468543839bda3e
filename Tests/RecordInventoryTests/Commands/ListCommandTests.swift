import RecordKitJSON
import RecordKit
import RecordKitTesting
import TestSupport
import XCTest

@testable import RecordInventory

final class ListCommandTests: TimedTestCase {
    func testALimitCountsInTheOrderThatIsAskedForOverAllPages() async throws {
        let bodies = try [("A", 1), ("B", 3), ("0 1", 2)].map { sku, amount in
            #"{"data":[{"id":"\#(try SKU(sku).recordID)","last_modified":7,"sku":"\#(sku)","artist":"A","title":"T","#
                + #""quantity":1,"status":"for_sale","price":{"amount":\#(amount),"currency":"EUR"}}]}"#
        }
        let server = try LoopbackServer { request in
            if request.target.contains("min_id=") { return .json(bodies[2]) }
            let page = [1, 2].first { request.target.contains("_token=\($0)") } ?? 0
            if page == 2 { return .json(bodies[2]) }
            return .status(
                200, headers: ["Content-Type": "application/json", "Next-Page": "http://a/?_token=\(page + 1)"],
                body: Data(bodies[page].utf8))
        }
        let till = try Till(server: server)
        for (arguments, skus, requests) in [
            ([], ["0 1", "A", "B"], 4), (["--sort", "-price,title", "--limit", "1"], ["B"], 5),
            (["--limit", "1"], ["0 1"], 2), (["--limit", "2"], ["0 1", "A"], 2),
        ] as [([String], [String], Int)] {
            let before = server.requests.count
            let outcome = await till.type(["list"] + arguments)
            XCTAssertEqual(outcome.skus, skus, "\(arguments): \(outcome.messages)")
            XCTAssertEqual(server.requests.count - before, requests, "\(arguments)")
        }
        // No more records than will be printed.
        XCTAssertTrue(
            try XCTUnwrap(server.requests.last).target.contains("_limit=2&")
                || server.requests.last?.target.hasSuffix("_limit=2") == true)
    }

    func testTheServerSortsByOneNumberIfAllConditionsAreIts() async throws {
        let server = try LoopbackServer { _ in .json(#"{"data":[]}"#) }
        let till = try Till(server: server)
        for (arguments, isSorted) in [
            (["--sort", "-quantity", "--limit", "10"], true), (["--sort", "year", "--limit", "10"], true),
            (["--sort", "year", "--limit", "10", "--where", "min_quantity=1"], true), (["--sort", "year"], false),
            (["--sort", "artist", "--limit", "10"], false), (["--sort", "year,artist", "--limit", "10"], false),
            (["--sort", "year", "--limit", "10", "--where", "min_price=1", "--where", "currency=EUR"], false),
            (["--sort", "year", "--limit", "10", "--search", "blue"], false),
        ] {
            let before = server.requests.count
            _ = await till.type(["list"] + arguments)
            let targets = server.requests[before...].map { $0.target.removingPercentEncoding ?? "" }
            let sorted = targets.filter { $0.contains("_sort=-quantity,id") || $0.contains("_sort=year,id") }
            XCTAssertEqual(sorted.isEmpty, !isSorted, "\(arguments): \(targets)")
            XCTAssertTrue(sorted.allSatisfy { $0.contains("min_") && $0.contains("_limit=10") }, "\(targets)")
        }
    }

    /// The ids of such SKUs are escaped, and are read before the others.
    func testALimitAlsoBoundsWhatIsReadOfSKUsWithSpaces() async throws {
        let server = try LoopbackServer { request in
            guard request.target.contains("min_id=") else { return .json(#"{"data":[]}"#) }
            let page = (1...9).first { request.target.contains("_token=\($0)") } ?? 0
            let record =
                #"{"id":"x--LP_20\#(page)","last_modified":7,"sku":"LP \#(page)","artist":"A","title":"T","#
                + #""quantity":1,"status":"for_sale","price":{"amount":1,"currency":"EUR"}}"#
            return .status(
                200,
                headers: [
                    "Content-Type": "application/json", "Next-Page": "http://a/?min_id=x--&_token=\(page + 1)",
                ],
                body: Data(#"{"data":[\#(record)]}"#.utf8))
        }
        let till = try Till(server: server)
        let outcome = await till.type("list", "--limit", "3")
        XCTAssertEqual(outcome.skus, ["LP 0", "LP 1", "LP 2"], outcome.messages)
        XCTAssertEqual(server.requests.count { $0.target.contains("min_id=") }, 3)
        XCTAssertTrue(server.requests[0].target.contains("_limit=3"), server.requests[0].target)
    }

    func testALongTableHasItsTitleOnEachPart() async throws {
        let till = try Till()
        let rows = (0..<1_001).map { "LP \(10_000 + $0),Artist,Title,1,EUR" }.joined(separator: "\n")
        _ = await till.type("import", try till.file(rows))
        let lines = await till.type(["list"], answer: "").results.split(separator: "\n")
        XCTAssertEqual(lines.count, 1_003)
        XCTAssertEqual(lines.count { $0.hasPrefix("SKU ") }, 2)
        XCTAssertEqual(lines[1_002].prefix(9), "LP 11000 ")
        let json = await till.type(["list", "--json", "--limit", "2"], answer: "").results
        let shown = await till.type(["show", "LP 10000", "--json"], answer: "").results
        XCTAssertTrue(json.hasPrefix("[\n  {\n    \"sku\": \"LP 10000\",\n"), json)
        XCTAssertTrue(json.hasSuffix("\n  }\n]\n"), json)
        XCTAssertTrue(json.replacing("\n  ", with: "\n").contains(shown.dropLast()), json)
    }
}
