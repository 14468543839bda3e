import RecordKitJSON
import Foundation
import RecordKit
import TestSupport
import XCTest

@testable import RecordInventory

final class ImportCommandTests: TimedTestCase {
    private func sample(_ name: String) throws -> String { try Sample.url(name).path }

    func testTheSameFileTwiceChangesNothing() async throws {
        let till = try Till()
        let file = try sample("discogs-inventory-export-bom.csv")
        let first = await till.type("import", file, "--currency", "EUR")
        XCTAssertEqual(first.exitCode, .done, first.messages)
        XCTAssertEqual(first.results, "3 created, 0 updated, 0 unchanged, 0 rejected\n")
        let before = await till.type("list", "--json")
        let second = await till.type("import", file, "--currency", "EUR", "--json")
        XCTAssertEqual(second.exitCode, .done)
        XCTAssertEqual(
            second.results,
            #"{"created":0,"updated":0,"unchanged":3,"rejected":[],"quantities_set":0,"quantities_kept":0}"# + "\n")
        let after = await till.type("list", "--json")
        XCTAssertEqual(after.results, before.results)
    }

    func testADiscogsFileWithoutACurrencyIsUsage() async throws {
        let till = try Till()
        let outcome = await till.type("import", try sample("discogs-inventory-export-utf8.csv"))
        XCTAssertEqual(outcome.exitCode, .usage)
        XCTAssertTrue(outcome.messages.contains("--currency"), outcome.messages)
        XCTAssertEqual(outcome.results, "")
    }

    func testAFileThatIsNotUTF8IsRefusedByItsEncoding() async throws {
        let till = try Till()
        let outcome = await till.type("import", try sample("inventory-windows1252-semicolon.csv"), "--currency", "EUR")
        XCTAssertEqual(outcome.exitCode, .badData)
        XCTAssertTrue(outcome.messages.contains("Windows-1252"), outcome.messages)
    }

    func testGoodRowsGoInAndBadRowsAreNamed() async throws {
        let till = try Till()
        let outcome = await till.type("import", try sample("inventory-bad-rows.csv"), "--json", "--quiet")
        XCTAssertEqual(outcome.exitCode, .partlyDone)
        let summary = try XCTUnwrap(JSONSerialization.jsonObject(with: Data(outcome.results.utf8)) as? [String: Any])
        XCTAssertEqual(summary["created"] as? Int, 1)
        let rejected = try XCTUnwrap(summary["rejected"] as? [[String: Any]])
        XCTAssertEqual(rejected.map { $0["row"] as? Int }, Array(3...10))
        XCTAssertEqual(
            rejected.map { $0["sku"] as? String },
            ["SKU-2", "SKU-3", "SKU-4", "SKU-5", "SKU-1", "SKU-6", "SKU-7", "SKU-8"])
        XCTAssertEqual(rejected[4]["reason"] as? String, "this SKU is already in row 2")
        XCTAssertTrue(
            outcome.results.hasPrefix(#"{"created":1,"updated":0,"unchanged":0,"rejected":[{"row":3,"sku":"SKU-2","#))
        XCTAssertTrue(
            outcome.messages.contains("row 10 (SKU-8): title: missing; 2 cells, but row 1 names 8 columns"),
            "also with --quiet")
        let list = await till.type("list")
        XCTAssertEqual(list.skus, ["SKU-1"])
    }

    func testBadRowsWithoutEndCanBeInterrupted() async throws {
        let till = try Till()
        let file = try till.file((0..<100).map { "S-\($0),Artist,Title,much,EUR" }.joined(separator: "\n"))
        let complaints = Transcript()
        let messages = Output(
            isTerminal: false, columns: { 80 },
            write: { text throws(FileError) in
                try complaints.output().write(text)
                withUnsafeCurrentTask { $0?.cancel() }
            })
        let shell = Shell(results: Transcript().output(), messages: messages, input: .texts(), environment: [:])
        let arguments = ["import", file, "--store", till.folder.path("stock.sqlite")]
        let exitCode = await Task { await shell.run(arguments, run: CommandContext.run) }.value
        XCTAssertEqual(exitCode, .interrupted)
        XCTAssertEqual(complaints.text.split(separator: "\n").count, 1, complaints.text)
    }
}
