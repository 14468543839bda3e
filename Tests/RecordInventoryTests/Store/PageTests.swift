import RecordKit
import RecordKitJSON
import RecordKitSQLite
import TestSupport
import XCTest

@testable import RecordInventory

/// What a page of the embedded store costs.
final class PageTests: TimedTestCase {
    /// A page of a few objects is found among many in fewer steps than there are objects. A search for the next page of
    /// many does not search again.
    func testAPageOfAFewTakesFewSteps() async throws {
        let till = try Till()
        let count = 4_000
        let rows = (0..<count).map { "LP-\(10_000 + $0),A,T,1,EUR,\($0 == 7 ? "4006381333931" : "")" }
        _ = await till.type(
            "import", try till.file(rows.joined(separator: "\n"), header: "sku,artist,title,price,currency,barcode"))
        _ = await till.type("sell", "LP-10005", "--id", "S")
        _ = await till.type("return", "LP-10005", "--sale", "S", "--id", "R")
        let table = ObjectTable(try StoreFile.open(till.folder.url.appending(path: "stock.sqlite")))
        func page(_ collection: String, _ parameters: RequestQuery, after: JSONValue? = nil) throws -> [String] {
            try table.database.transaction(.read) {
                let list = try XCTUnwrap(table.list(at: .records(bucket: "shop", collection: collection)))
                var query = try ListQuery(parameters)
                if let after { query.after = [after] }
                return try table.page(of: query, in: list).objects.map(\.id)
            }
        }
        let search = RequestQuery(parsing: "_search=a&_sort=id&_limit=2")
        let first = SearchIndex.isAvailable ? ["LP-10000", "LP-10001"] : nil
        if let first { XCTAssertEqual(try page("records", search), first) }
        let (all, kinds) = (Int64(1)..<Int64.max, Movement.Kind.allCases.filter { $0 != .opening })
        for (collection, parameters, after, expected) in [
            ("movements", MovementFilter(sku: try SKU("LP-10005")).query, nil, ["R-1", "S-1", "opening-LP-10005"]),
            ("movements", MovementFilter(command: "S").query, nil, ["S-1"]),
            ("movements", MovementFilter(undone: ["S-1", "X-1"]).query, nil, ["R-1"]),
            ("movements", MovementFilter(kinds: kinds, times: all, pageSize: 5).query, nil, ["S-1", "R-1"]),
            (
                "movements", MovementFilter(kinds: kinds, times: all, isLatestFirst: true, pageSize: 1).query, nil,
                ["R-1"]
            ),
            ("records", RequestQuery(parsing: "in_barcode=%224006381333931%22&_sort=id"), nil, ["LP-10007"]),
            ("records", RequestQuery(parsing: "_sort=id&_limit=1"), .string("LP-12000"), ["LP-12001"]),
            ("records", RequestQuery(parsing: "_sort=-id&_limit=1"), .string("LP-12000"), ["LP-11999"]),
            ("records", RequestQuery(parsing: "_sort=-last_modified&_limit=1"), nil, ["LP-10005"]),
            ("records", RequestQuery(parsing: "_sort=last_modified&_limit=1"), nil, ["LP-10000"]),
            ("records", search, .string("LP-12000"), first.map { _ in ["LP-12001", "LP-12002"] }),
        ] as [(String, RequestQuery, JSONValue?, [String]?)] {
            guard let expected else { continue }
            let before = table.database.steps
            XCTAssertEqual(try page(collection, parameters, after: after), expected, "\(parameters)")
            XCTAssertLessThan(table.database.steps - before, count / 4, "\(parameters)")
        }
    }
}
