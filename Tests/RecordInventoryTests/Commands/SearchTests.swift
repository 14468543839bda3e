import RecordKitJSON
import Foundation
import RecordKit
import RecordKitSQLite
import RecordKitTesting
import TestSupport
import XCTest

@testable import RecordInventory

/// Searches as people type them, in a store with an index and on a server without one.
final class SearchTests: TimedTestCase {
    private static let header = "sku,artist,title,label,catalogue_number,format,barcode,price,currency"
    private static let rows = [
        "B1,Björk,Homogenic,One Little Indian,TPLP 71,LP,5016958021825,20,EUR",
        "B2,Bjo\u{308}rk,Debut,One Little Indian,TPLP31,CD,,9,EUR",
        "S1,Sigur Rós,( ),FatCat,FATLP22,LP,,25,EUR",
        "M1,Miles Davis,Kind Of Blue,Columbia,CS 8163,LP,0074646493526,30,EUR",
        "T1,The Beatles,Abbey Road,Apple,PCS 7088,LP,,22,EUR",
        "A1,AC/DC,Back In Black,Atlantic,K 50735,LP,,18,EUR",
        "R1,R.E.M.,Murmur,I.R.S.,SP-70604,LP,,12,EUR",
        "X1,The xx,xx,XL Recordings,XLLP-450,LP,,15,EUR",
        "X2,Prodigy,Firestarter,XL Recordings,XLT 70,12\",,7,EUR",
        "S2,Simon & Garfunkel,Bookends,Columbia,KCS 9529,LP,,11,EUR",
        "D1,Fleetwood Mac,Don’t Stop,Warner,K 17013,7\",,3,EUR",
        "Y1,Ｙｅｌｌｏｗ Magic Orchestra,Ｔｅｃｈｎｏｄｅｌｉｃ,Alfa,ALR-28021,LP,,40,JPY",
        "R2,Røyksopp,Melody A.M.,Wall Of Sound,WALLLP027,LP,,28,EUR",
        "C1,!!!,Louden Up Now,Warp,WARPLP121,LP,,14,EUR",
        "K1,Κώστας,Ρεμπέτικα,Minos,,LP,,10,EUR",
    ]

    private static let searches: [(String, [String])] = [
        ("bjork", ["B1", "B2"]), ("BJÖRK", ["B1", "B2"]), ("bjork homo", ["B1"]), ("sigur ros", ["S1"]),
        ("beatles the", ["T1"]), ("kind miles", ["M1"]), ("blue kind of miles davis", ["M1"]),
        ("TPLP71", ["B1"]), ("tplp 31", ["B2"]), ("tplp-71", ["B1"]), ("sp 70604", ["R1"]), ("xllp450", ["X1"]),
        ("xl", ["X1", "X2"]), ("ac/dc", ["A1"]), ("acdc black", ["A1"]), ("rem murmur", ["R1"]),
        ("r.e.m.", ["R1"]), ("simon and garfunkel", ["S2"]), ("dont stop", ["D1"]), ("don't stop", ["D1"]),
        ("yellow technodelic", ["Y1"]), ("royksopp", ["R2"]), ("5016958021825", ["B1"]), ("5 016958 021825", ["B1"]),
        ("074646493526", ["M1"]), ("74646493526", ["M1"]), ("501695802", ["B1"]), ("!!!", ["C1"]), ("κωστας", ["K1"]),
        ("ros sigur fatlp22", ["S1"]), ("abba", []), ("bjork blue", []), ("???", []), ("eatles", []),
    ]

    func testFindsWhatPeopleType() async throws {
        let till = try Till()
        let file = try till.file(Self.rows.joined(separator: "\n"), header: Self.header)
        let imported = await till.type("import", file)
        XCTAssertEqual(imported.exitCode, .done, imported.messages)
        for (text, skus) in Self.searches {
            let outcome = await till.type("list", "--search", text)
            XCTAssertEqual(outcome.skus, skus, text)
            XCTAssertEqual(outcome.messages, skus.isEmpty ? "There are no such records.\n" : "", text)
        }
        let all = await till.type("list", "--json").results
        let server = try LoopbackServer { request in
            .json(request.target.contains("min_id=") ? #"{"data":[]}"# : #"{"data":\#(all.withIDs)}"#)
        }
        let other = try Till(server: server)
        for (text, skus) in Self.searches {
            let outcome = await other.type("list", "--search", text)
            XCTAssertEqual(outcome.skus, skus, "\(text): \(outcome.messages)")
        }
        XCTAssertFalse(server.requests.contains { $0.target.contains("_search") })
    }

    func testTheIndexFollowsEachChange() async throws {
        try XCTSkipUnless(SearchIndex.isAvailable)
        let till = try Till()
        func found(_ text: String) async throws -> [String] {
            // Only what the index finds, without the tool's own filter.
            let store = till.store
            let answer = try await store.respond(
                to: StoreRequest(
                    method: .get, path: "/v1/buckets/shop/collections/records/records",
                    query: "_search=\(text)&_sort=id"))
            let body = try JSONValue(stored: answer.body)
            return body.object?["data"]?.array?.compactMap { $0.object?["id"]?.string } ?? []
        }
        _ = await till.add("LP-1", "--artist", "Nina Simone", "--title", "Pastel Blues")
        _ = await till.add("LP-2", "--artist", "Can", "--title", "Tago Mago")
        var ids = try await found("nina")
        XCTAssertEqual(ids, ["LP-1"])
        _ = await till.type("edit", "LP-1", "--artist", "Nína Simone", "--title", "Wild Is The Wind")
        ids = try await found("pastel")
        XCTAssertEqual(ids, [])
        ids = try await found("wind%20nin")
        XCTAssertEqual(ids, ["LP-1"])
        _ = await till.type("sell", "LP-1")
        ids = try await found("wind")
        XCTAssertEqual(ids, ["LP-1"])
        _ = await till.type("delete", "LP-1", "--yes")
        ids = try await found("wind")
        XCTAssertEqual(ids, [])
        _ = await till.add("LP-1", "--artist", "Moondog")
        ids = try await found("moondog")
        XCTAssertEqual(ids, ["LP-1"])
    }

    /// A process keeps what it found for the next page. Another process may change the stock between two searches.
    func testTheSameSearchFindsWhatAnotherProcessChanged() async throws {
        try XCTSkipUnless(SearchIndex.isAvailable)
        let till = try Till()
        _ = await till.add("LP-1", "--artist", "Nina Simone")
        let store = till.store
        func found() async throws -> [String] {
            let response = try await store.respond(
                to: StoreRequest(
                    method: .get, path: "/v1/buckets/shop/collections/records/records", query: "_search=nina&_sort=id"))
            let list = try JSONValue(stored: response.body).object?["data"]?.array
            return list?.compactMap { $0.object?["id"]?.string } ?? []
        }
        var ids = try await found()
        XCTAssertEqual(ids, ["LP-1"])
        _ = await till.add("LP-2", "--artist", "Nina Hagen")
        ids = try await found()
        XCTAssertEqual(ids, ["LP-1", "LP-2"])
        _ = await till.type("edit", "LP-1", "--artist", "Moondog")
        ids = try await found()
        XCTAssertEqual(ids, ["LP-2"])
    }

    func testASearchOverManyPagesFindsEachRecordOnce() async throws {
        let till = try Till()
        let rows = (0..<2_500).map { "LP-\(10_000 + $0),Artist \($0 % 2 == 0 ? "Even" : "Odd"),Title,1,EUR" }
        _ = await till.type("import", try till.file(rows.joined(separator: "\n")))
        let outcome = await till.type("list", "--search", "even artist")
        XCTAssertEqual(outcome.skus, (0..<1_250).map { "LP-\(10_000 + 2 * $0)" })
    }

    func testAnIndexThatAnotherSQLiteDidNotKeepIsMadeAgain() async throws {
        try XCTSkipUnless(SearchIndex.isAvailable)
        let till = try Till()
        _ = await till.add("LP-1", "--artist", "Nina Simone")
        let database = try SQLiteDatabase(file: till.folder.path("stock.sqlite"))
        // As a SQLite without FTS5 leaves it.
        try database.execute("DROP TRIGGER search_update; DROP TRIGGER search_delete")
        try database.execute(
            "INSERT INTO objects SELECT list, 'LP-2', 77, 0, replace(replace(data, 'LP-1', 'LP-2'), 'Nina', 'Nona') FROM objects WHERE id = 'LP-1'"
        )
        let outcome = await till.type("list", "--search", "nona")
        XCTAssertEqual(outcome.skus, ["LP-2"])
    }

    /// Sorting all that was found for each page would take a time that grows with the square of it.
    func testAPageOfASearchIsNotSorted() throws {
        try XCTSkipUnless(SearchIndex.isAvailable)
        let table = ObjectTable(try StoreFile.empty())
        let list = ObjectTable.List(number: 1, version: 1)
        try table.results.find(SearchQuery("a"), in: list)
        var query = try ListQuery(RequestQuery(parsing: "_sort=id"))
        query.after = ["LP-1"]
        let select = ObjectTable.select(query, in: list, table: SearchResults.objects)
        var plan: [String] = []
        try table.database.statement("EXPLAIN QUERY PLAN " + select.sql).forEachRow(select.values) {
            plan.append($0.text(3))
        }
        XCTAssertEqual(plan.count, 2, "\(plan)")
        XCTAssertTrue(plan[0].contains("found USING PRIMARY KEY (id>?)"), "\(plan)")
        XCTAssertTrue(plan[1].contains("(list=? AND id=?)"), "\(plan)")
    }

    func testBarcodesAreFoundWithTheirIndex() throws {
        let table = ObjectTable(try StoreFile.empty())
        let query = try ListQuery(RequestQuery(parsing: "in_barcode=%224006381333931%22&_sort=id"))
        let select = ObjectTable.select(query, in: ObjectTable.List(number: 1, version: 1))
        var plan = ""
        try table.database.statement("EXPLAIN QUERY PLAN " + select.sql).forEachRow(select.values) {
            plan += $0.text(3) + "\n"
        }
        XCTAssertTrue(plan.contains("USING INDEX barcodes (list=? AND <expr>=?)"), plan)
        XCTAssertTrue(plan.contains("(list=? AND id=?)"), plan)
    }
}

extension String {
    /// The JSON of a list with the ids and versions of a server.
    fileprivate var withIDs: String {
        replacing(/"sku":"([^"]*)"/) { #""id":"\#($0.output.1)","last_modified":7,\#($0.output.0)"# }
    }
}
