import RecordKitJSON
import TestSupport
import XCTest

@testable import RecordInventory

/// Records that other programs have stored and `import` would refuse.
final class ForeignExportTests: TimedTestCase {
    func testExportReportsRecordsThatImportWouldRefuse() async throws {
        let till = try Till()
        let cases: [(String, JSONValue, String)] = [
            ("A", ["artist": ""], "artist: missing"), ("B", ["artist": " "], "artist: missing"),
            ("C", ["year": 1_500], "year \"1500\": out of range"),
            ("D", ["quantity": 2_000_000], "quantity \"2000000\": out of range"),
            ("E", ["external_ids": ["discogs_listing": -1]], "discogs_listing \"-1\": out of range"),
            ("F", ["notes": .string(String(repeating: "x", count: 70_000))], "longer than 64 KiB"),
            ("G", ["title": "", "year": 99], "title: missing; year \"99\": out of range"),
            ("I", ["artist": "#NAME?"], "an error of a spreadsheet"),
        ]
        for (sku, values, _) in cases {
            _ = await till.add(sku)
            try await till.patch(sku, values)
        }
        _ = await till.add("H", "--notes", "good")
        let file = till.folder.path("all.csv")
        let exported = await till.type("export", file)
        XCTAssertEqual(exported.exitCode, .partlyDone)
        XCTAssertTrue(exported.messages.contains("Exported 9 records"), "the records are written: \(exported.messages)")
        let imported = try await Till().type("import", file)
        XCTAssertEqual(imported.results, "1 created, 0 updated, 0 unchanged, 8 rejected\n", imported.messages)
        for (sku, _, reason) in cases {
            for (outcome, said) in [
                (exported, "the record \(sku) is one that import will refuse: "), (imported, "(\(sku)): "),
            ] {
                let line = outcome.messages.split(separator: "\n").first { $0.contains(said) && $0.contains(reason) }
                XCTAssertNotNil(line, "\(sku): \(outcome.messages)")
            }
        }
        let list = await till.type("list")
        XCTAssertEqual([list.skus.count, list.messages.count], [9, 0], "the records are listed without a message")
    }

    func testRecordsThatNoFileCanContainAreLeftOut() async throws {
        let till = try Till()
        for sku in ["A", "B"] { _ = await till.add(sku) }
        try await till.patch("A", ["notes": "a\0b"])
        let exported = await till.type("export", till.folder.path("all.csv"))
        XCTAssertEqual(exported.exitCode, .partlyDone)
        XCTAssertTrue(
            exported.messages.contains("the record A is left out, since no import could read a file with it: notes "),
            exported.messages)
        XCTAssertTrue(exported.messages.contains("Exported 1 record to "), exported.messages)
        let imported = try await Till().type("import", till.folder.path("all.csv"))
        XCTAssertEqual(imported.results, "1 created, 0 updated, 0 unchanged, 0 rejected\n", imported.messages)
        _ = await till.type("edit", "A", "--notes", "ab")
        let mended = await till.type("export", till.folder.path("all.csv"))
        XCTAssertEqual(mended.exitCode, .done, mended.messages)
    }
}
