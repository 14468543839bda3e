import RecordKitJSON
import Foundation
import RecordKit
import RecordKitTesting
import TestSupport
import XCTest

@testable import RecordInventory

final class ListCommandTests: TimedTestCase {
    private func filled() async throws -> Till {
        let till = try Till()
        let header =
            "sku,artist,title,label,catalogue_number,format,year,barcode,media_condition,price,currency,quantity"
        let file = try till.file(
            #"B-1,Die Übungsgruppe,Blue Kitchen,Übung,ÜB 1,LP,1999,4006381333931,NM,18.50,EUR,2"#,
            #"a-2,Fern,1999,"",X 2,LP,2001,,VG,4.00,EUR,0"#,
            #"A 3,Moss,Deep BLUE,Tin Ear,TE 3,CD,,,,1850,JPY,1"#,
            #"z,Ivy,Green,blueprint,TE 4,CD,1970,,M,9.00,USD,5"#, header: header)
        let outcome = await till.type("import", file)
        XCTAssertEqual(outcome.exitCode, .done, outcome.messages)
        return till
    }

    func testFindsWhatIsAskedFor() async throws {
        let till = try await filled()
        for (arguments, skus) in [
            ([], ["A 3", "B-1", "a-2", "z"]),
            (["--where", "format=LP"], ["B-1", "a-2"]),
            (["--where", "format=LP", "--where", "min_quantity=1"], ["B-1"]),
            (["--where", "min_quantity=1", "--where", "min_quantity=2"], ["B-1", "z"]),
            (["--where", "format=LP", "--where", "format=LP"], ["B-1", "a-2"]),
            (["--where", "format=LP", "--where", "format=CD"], []),
            (["--where", "title=1999"], ["a-2"]),
            (["--where", "barcode=4 006381 333931"], ["B-1"]),
            (["--where", "media_condition=near mint (nm or m-)"], ["B-1"]),
            (["--where", "barcode="], ["A 3", "a-2", "z"]),
            (["--where", "label="], ["a-2"]),
            (["--where", "location="], ["A 3", "B-1", "a-2", "z"]),
            (["--where", "max_year=1999"], ["B-1", "z"]),
            (["--where", "max_price=10", "--where", "currency=eur"], ["a-2"]),
            (["--where", "max_price=2000", "--where", "currency=JPY"], ["A 3"]),
            (["--where", "price=18.5", "--where", "currency=EUR"], ["B-1"]),
            (["--where", "min_artist=I"], ["A 3", "z"]),
            (["--where", "min_Quantity=2"], ["B-1", "z"]),
            (["--where", "min_media_condition=VG"], ["B-1", "a-2", "z"]),
            (["--where", "min_media_condition=near mint (nm or m-)"], ["B-1", "z"]),
            (["--where", "max_media_condition=NM"], ["B-1", "a-2"]),
            (["--search", "blue"], ["A 3", "B-1", "z"]),
            (["--search", ""], ["A 3", "B-1", "a-2", "z"]),
            (["--search", "üB"], ["B-1"]),
            (["--search", "te", "--where", "year=1970"], ["z"]),
            (["--sort", "-price", "--where", "currency=EUR"], ["B-1", "a-2"]),
            (["--sort", "price", "--where", "format=LP"], ["a-2", "B-1"]),
            (["--sort", "year"], ["z", "B-1", "a-2", "A 3"]),
            (["--sort", "-year"], ["a-2", "B-1", "z", "A 3"]),
            (["--sort", "-media_condition"], ["z", "B-1", "a-2", "A 3"]),
            (["--sort", "format,-quantity"], ["z", "A 3", "B-1", "a-2"]),
            (["--sort", "-price", "--limit", "1", "--where", "format=LP"], ["B-1"]),
            (["--sort", "year", "--limit", "3"], ["z", "B-1", "a-2"]),
            (["--sort", "-year", "--limit", "4"], ["a-2", "B-1", "z", "A 3"]),
            (["--sort", "-quantity", "--limit", "3"], ["z", "B-1", "A 3"]),
            (["--sort", "quantity", "--limit", "2"], ["a-2", "A 3"]),
            (["--limit", "1"], ["A 3"]), (["--limit", "2"], ["A 3", "B-1"]),
            (["--limit", "9"], ["A 3", "B-1", "a-2", "z"]),
            (["--search", "blue", "--limit", "2"], ["A 3", "B-1"]),
        ] as [([String], [String])] {
            let outcome = await till.type(["list"] + arguments)
            XCTAssertEqual(outcome.exitCode, .done, outcome.messages)
            XCTAssertEqual(outcome.skus, skus, "\(arguments)")
        }
    }

    func testPricesInSeveralCurrenciesAreNotCompared() async throws {
        let till = try await filled()
        for arguments in [["--sort", "price"], ["--where", "max_price=10"], ["--where", "price=9", "--limit", "1"]] {
            let outcome = await till.type(["list"] + arguments)
            XCTAssertEqual(outcome.exitCode, .usage, "\(arguments)")
            XCTAssertTrue(
                outcome.messages.contains("in several currencies, such as EUR and JPY")
                    && outcome.messages.contains("--where currency=EUR"), outcome.messages)
            XCTAssertEqual(outcome.results, "")
        }
        for sku in ["B-1", "A 3"] { _ = await till.type("edit", sku, "--cost", "6") }
        for arguments in [["--sort", "-cost"], ["--where", "max_cost=100"]] {
            let outcome = await till.type(["list"] + arguments)
            XCTAssertEqual(outcome.exitCode, .usage, "6.00 EUR are not less than 6 JPY: \(outcome.skus)")
        }
        // Another program stored one of them in small letters.
        try await till.patch("z", ["price": ["amount": 900, "currency": "eur"]])
        _ = await till.type("delete", "A 3", "--yes")
        let outcome = await till.type("list", "--sort", "-price")
        XCTAssertEqual(outcome.skus, ["B-1", "z", "a-2"], outcome.messages)
    }

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

    func testSleevesWithoutAGradeAreNeitherBetterNorWorse() async throws {
        let till = try Till()
        let file = try till.file(
            "1,A,T,1,EUR,generic", "2,A,T,1,EUR,M", "3,A,T,1,EUR,P", "4,A,T,1,EUR,", "5,A,T,1,EUR,VG+",
            header: "sku,artist,title,price,currency,sleeve_condition")
        _ = await till.type("import", file)
        for (arguments, skus) in [
            (["--where", "min_sleeve_condition=VG"], ["2", "5"]), (["--where", "max_sleeve_condition=VG"], ["3"]),
            (["--where", "sleeve_condition=Generic"], ["1"]), (["--where", "min_sleeve_condition=generic"], ["1"]),
            (["--where", "sleeve_condition=Mint (M)"], ["2"]),
            (["--where", "sleeve_condition="], ["4"]), (["--sort", "-sleeve_condition"], ["2", "5", "3", "1", "4"]),
        ] {
            let outcome = await till.type(["list"] + arguments)
            XCTAssertEqual(outcome.skus, skus, "\(arguments)")
        }
    }

    func testLettersAreTheSameHoweverTheyAreWritten() async throws {
        let till = try Till()
        let file = try till.file("1,Bj\u{F6}rk,T,1,EUR", "2,Bjo\u{308}rk,T,1,EUR", "3,Bjork,T,1,EUR")
        _ = await till.type("import", file)
        for artist in ["Bj\u{F6}rk", "Bjo\u{308}rk"] {
            let same = await till.type("list", "--where", "artist=\(artist)")
            XCTAssertEqual(same.skus, ["1", "2"])
            let found = await till.type("list", "--search", artist)
            XCTAssertEqual(found.skus, ["1", "2", "3"])
        }
    }

    func testLinesHaveTheColumnsOfTheJSON() async throws {
        let till = try await filled()
        let outcome = await till.type("list", "--where", "sku=B-1")
        XCTAssertEqual(
            outcome.results,
            "B-1\tDie Übungsgruppe\tBlue Kitchen\tÜbung\tÜB 1\tLP\t1999\t\t4006381333931\tNM\t\t18.50\tEUR\t2\tfor_sale"
                + "\t\t\t\t\t\t\t\n")
    }

    func testJSONIsOneArrayAndShowIsOneObject() async throws {
        let till = try await filled()
        let list = await till.type("list", "--limit", "1", "--json")
        let shown = await till.type("show", "A 3", "--json")
        XCTAssertEqual(list.results, "[" + shown.results.dropLast() + "]\n")
        let none = await till.type("list", "--where", "sku=none", "--json")
        XCTAssertEqual(none.results, "[]\n")
    }

    func testATerminalSeesATable() async throws {
        let till = try await filled()
        let outcome = await till.type("list", "--search", "kitchen", answer: "")
        XCTAssertEqual(
            outcome.results,
            "SKU  artist            title         format  media      price  copies  location\n"
                + "B-1  Die Übungsgruppe  Blue Kitchen  LP      NM     18.50 EUR       2  \n")
    }

    func testUnknownFieldsAreUsageWithTheNearMiss() async throws {
        let till = try Till()
        for (arguments, complaint) in [
            (["--where", "tittle=x"], "did you mean title?"),
            (["--where", "min_qantity=1"], "did you mean min_quantity?"),
            (["--sort", "-prise"], "did you mean price?"),
            (["--where", "title"], "FIELD=VALUE"), (["--where", "barcode=12"], "2 digits"),
            (["--where", "min_price=1.23456"], "too many decimals; the finest currency has 4"),
            (["--where", "year=old"], "not a whole number"), (["--limit", "0"], "at least 1"),
            (["--sotr", "x"], "did you mean --sort?"), (["blue"], "--search TEXT"),
        ] {
            let outcome = await till.type(["list"] + arguments)
            XCTAssertEqual(outcome.exitCode, .usage, "\(arguments)")
            XCTAssertTrue(outcome.messages.contains(complaint), outcome.messages)
        }
    }

    func testAStoreWithoutAShopIsEmptyAndSaysWhereItIs() async throws {
        let till = try Till()
        try till.makeStore()
        let outcome = await till.type("list")
        XCTAssertEqual(outcome.exitCode, .done)
        XCTAssertEqual(outcome.results, "")
        XCTAssertTrue(outcome.messages.contains(till.folder.path("stock.sqlite")), outcome.messages)
        let quiet = await till.type("list", "--quiet")
        XCTAssertEqual(quiet.messages, "")
        let seen = await till.type("list", answer: "")
        XCTAssertEqual(seen.messages, outcome.messages, "the messages on a terminal are the same")
        let json = await till.type("list", "--json")
        XCTAssertEqual(json.results, "[]\n")
    }

    func testAFileThatIsNoStoreSaysSoInItsOwnWords() async throws {
        let till = try Till()
        _ = try till.folder.write("hello".utf8, to: "stock.sqlite")
        let outcome = await till.type("list")
        XCTAssertEqual(outcome.exitCode, .failed)
        XCTAssertEqual(
            outcome.messages,
            "record-inventory: \(till.folder.path("stock.sqlite")) is not a store of record-inventory: give another "
                + "file, or move this one away\n")
        XCTAssertEqual(try till.folder.text(of: "stock.sqlite"), "hello")
    }

    func testARecordThatCannotBeReadIsToldOfOnce() async throws {
        let till = try Till()
        _ = await till.add("LP-1")
        try await till.addUnreadable("x--LP_2042")
        let outcome = await till.type("list", "--limit", "1")
        XCTAssertEqual(outcome.exitCode, .partlyDone)
        XCTAssertEqual(outcome.messages.split(separator: "\n").count, 1, outcome.messages)
    }
}
