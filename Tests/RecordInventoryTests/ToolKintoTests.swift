import TestSupport
import XCTest

@testable import RecordInventory

/// The tool as a process, with a live Kinto.
final class ToolKintoTests: TimedTestCase {
    func testAShopFromItsFirstListToItsSignIn() throws {
        guard let kinto = try LiveKinto.find(for: "the tool") else { return }
        let folder = try TemporaryFolder()
        let bucket = "tool-\(UUID().uuidString.lowercased())"
        func tool(user: String?, password: String) throws -> Tool {
            var environment = ["RECORD_INVENTORY_SERVER": kinto.address]
            environment["RECORD_INVENTORY_USER"] = user
            environment["RECORD_INVENTORY_PASSWORD_FILE"] = try user.map { _ in try folder.write(password: password) }
            return Tool(store: folder.path("unused.sqlite"), environment: environment)
        }
        let shop = try tool(user: kinto.user, password: kinto.password)
        let empty = try shop.run("list", "--json", "--bucket", bucket).expect(0)
        XCTAssertEqual(empty.results, "[]\n")
        XCTAssertTrue(empty.messages.contains(bucket), empty.messages)

        for other in [try tool(user: nil, password: ""), try tool(user: kinto.user, password: "wrong")] {
            let sample = try Sample.url("discogs-inventory-export-bom.csv").path
            for arguments in [["list"], ["sell", "A"], ["import", sample, "--currency", "EUR"]] {
                let outcome = try other.run(arguments + ["--bucket", bucket])
                XCTAssertEqual(outcome.exitCode, 4, "\(arguments)")
                XCTAssertTrue(outcome.messages.contains("RECORD_INVENTORY_USER"), "\(arguments): \(outcome.messages)")
            }
        }

        let rows = "sku,artist,title,price,currency\nbatch-7,A,1999,1,EUR\na/b c,A,B,1500,JPY\n"
        let imported = try shop.run("import", "-", "--bucket", bucket, input: rows)
        XCTAssertEqual(imported.results, "2 created, 0 updated, 0 unchanged, 0 rejected\n", imported.messages)
        let exported = try shop.run("export", "-", "--bucket", bucket)
        let copied = try Tool(store: folder.path("copy.sqlite")).run("import", "-", input: exported.results)
        XCTAssertEqual(copied.results, imported.results, copied.messages)
        XCTAssertEqual(try Tool(store: folder.path("copy.sqlite")).run("export", "-").results, exported.results)

        XCTAssertEqual(try shop.run("sell", "batch-7", "--bucket", bucket).exitCode, 0)
        XCTAssertEqual(try shop.run("sell", "batch-7", "--bucket", bucket).exitCode, 5)
        XCTAssertEqual(try shop.run("show", "missing", "--bucket", bucket).exitCode, 3)
        XCTAssertFalse(FileManager.default.fileExists(atPath: folder.path("unused.sqlite")))
    }
}
