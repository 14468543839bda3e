import Foundation
import TestSupport
import XCTest

@testable import RecordInventory

final class ConfigCommandTests: TimedTestCase {
    private func makeTool(_ config: String? = nil) throws -> (Tool, TemporaryFolder) {
        let folder = try TemporaryFolder()
        if let config {
            let place = folder.url.appending(path: "record-inventory")
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
            try Data(config.utf8).write(to: place.appending(path: "config"))
        }
        return (Tool(store: "", environment: ["XDG_CONFIG_HOME": folder.url.path, "HOME": folder.url.path]), folder)
    }

    private func file(_ folder: TemporaryFolder) -> String { folder.url.path + "/record-inventory/config" }

    func testAnOptionPrecedesAVariableWhichPrecedesTheFile() throws {
        var (tool, folder) = try makeTool(
            "# the counter\nbucket = cellar\ntill = Counter 2\nperson=Ella\nstore = /tmp/a\n")
        tool.environment["RECORD_INVENTORY_PERSON"] = "Miles"
        let outcome = try tool.run("config", "--bucket", "attic")
        XCTAssertEqual(
            outcome.results,
            """
            store\t/tmp/a\t\(file(folder))
            bucket\tattic\t--bucket
            till\tCounter 2\t\(file(folder))
            person\tMiles\tRECORD_INVENTORY_PERSON
            currency\t\tdefault
            columns\t\tdefault

            """)
    }

    func testTheStoreOfTheFileIsUsed() throws {
        let (tool, folder) = try makeTool()
        let store = folder.url.path + "/own.sqlite"
        XCTAssertEqual(try tool.run("config", "set", "store", store).exitCode, 0)
        let csv = "sku,artist,title,price,currency\nA,B,C,1,EUR\n"
        XCTAssertEqual(try tool.run("import", "-", input: csv).exitCode, 0)
        XCTAssertTrue(FileManager.default.fileExists(atPath: store))
    }

    func testTheCurrencyOfTheFileIsForPricesWithoutOne() throws {
        var (tool, folder) = try makeTool()
        tool.environment["RECORD_INVENTORY_STORE"] = folder.url.path + "/own.sqlite"
        let add = ["add", "--sku", "A", "--artist", "A", "--title", "T", "--price", "5"]
        let missing = try tool.run(add)
        XCTAssertEqual(missing.exitCode, 64)
        XCTAssertTrue(missing.messages.contains("add also requires --currency"), missing.messages)
        XCTAssertEqual(try tool.run("config", "set", "currency", "jpy").exitCode, 0)
        XCTAssertEqual(try tool.run(add).exitCode, 0)
        let csv = "sku,artist,title,price,currency\nB,B,C,1,\nC,B,C,2,USD\n"
        XCTAssertEqual(try tool.run("import", "-", input: csv).exitCode, 0)
        XCTAssertEqual(
            try tool.run("import", "-", "--currency", "EUR", input: csv.replacing("B,B", with: "D,B")).exitCode, 0)
        let list = try tool.run("list", "--fields", "sku,price,currency")
        XCTAssertEqual(list.results, "A\t5\tJPY\nB\t1\tJPY\nC\t2.00\tUSD\nD\t1.00\tEUR\n")
    }

    func testTheColumnsOfTheFileAreThoseOfTablesOfRecords() throws {
        var (tool, folder) = try makeTool("columns = sku, Quantity\n")
        tool.environment["RECORD_INVENTORY_STORE"] = folder.url.path + "/own.sqlite"
        let csv = "sku,artist,title,price,currency\nA,B,C,1,EUR\n"
        XCTAssertEqual(try tool.run("import", "-", input: csv).exitCode, 0)
        XCTAssertEqual(try tool.run("list", "--output", "table").results, "sku  quantity\nA           1\n")
        let asked = try tool.run("list", "--output", "table", "--fields", "title")
        XCTAssertEqual(asked.results, "title\nC\n")
        XCTAssertTrue(try tool.run("list").results.hasPrefix("A\tB\tC\t"), "lines keep all fields")
        XCTAssertTrue(try tool.run("history", "--output", "table").results.hasPrefix("time "))
    }

    func testSettingAValueKeepsTheOtherLines() throws {
        let (tool, folder) = try makeTool("# mine\ntill = 1\n\n# the other\nperson = Ella")
        XCTAssertEqual(try tool.run("config", "set", "till", "Counter 2").exitCode, 0)
        XCTAssertEqual(try tool.run("config", "set", "bucket", "cellar").exitCode, 0)
        XCTAssertEqual(
            try String(contentsOfFile: file(folder), encoding: .utf8),
            "# mine\ntill = Counter 2\n\n# the other\nperson = Ella\nbucket = cellar\n")
    }

    func testAFileWithTheLineEndsOfWindowsIsRead() throws {
        let (tool, folder) = try makeTool("# mine\r\ntill = Counter 2\r\nperson = Ella\r\n")
        XCTAssertTrue(try tool.run("config").results.contains("till\tCounter 2\t\(file(folder))\nperson\tElla\t"))
        XCTAssertEqual(try tool.run("config", "set", "person", "Miles").exitCode, 0)
        XCTAssertTrue(try tool.run("config").results.contains("till\tCounter 2\t\(file(folder))\nperson\tMiles\t"))
    }

    func testAConfigThatCannotBeWrittenIsNamed() throws {
        var (tool, folder) = try makeTool()
        let place = folder.url.path + "/file"
        try Data().write(to: URL(filePath: place))
        tool.environment["XDG_CONFIG_HOME"] = place
        let outcome = try tool.run("config", "set", "till", "1")
        XCTAssertEqual(outcome.exitCode, 1)
        XCTAssertTrue(
            outcome.messages.hasPrefix("record-inventory: \(place)/record-inventory/config could not be written: "),
            outcome.messages)
    }

    func testTheConfigMayBeALink() throws {
        let (tool, folder) = try makeTool("till = 1\n")
        let target = folder.url.path + "/dotfile"
        try FileManager.default.moveItem(atPath: file(folder), toPath: target)
        try FileManager.default.createSymbolicLink(atPath: file(folder), withDestinationPath: target)
        XCTAssertEqual(try tool.run("config", "set", "till", "2").exitCode, 0)
        XCTAssertEqual(try String(contentsOfFile: target, encoding: .utf8), "till = 2\n")
    }

    func testAFileThatCannotBeReadIsNotReplaced() throws {
        let (tool, folder) = try makeTool("")
        try FileManager.default.removeItem(atPath: file(folder))
        try FileManager.default.createDirectory(atPath: file(folder), withIntermediateDirectories: false)
        let outcome = try tool.run("config", "set", "till", "1")
        XCTAssertEqual(outcome.exitCode, 64)
        XCTAssertTrue(outcome.messages.contains("cannot be read"), outcome.messages)
    }

    func testMistakesAreReportedWithFileLineAndKey() throws {
        for (config, message) in [
            ("till = 1\ntll = 2\n", "line 2: there is no key \"tll\"; did you mean till?"),
            ("till\n", "line 1: there is no \"=\"; write KEY = VALUE"), ("till =\n", "line 1: till has no value"),
            ("till = 1\n#\ntill = 2\n", "line 3: till is given twice, first in line 1"),
            ("store = a\nserver = http://127.0.0.1/v1\n", "line 2: server: there is a store too"),
            ("bucket = a b\n", "line 1: bucket requires a name"),
            ("server = http://me:s3cret@127.0.0.1/\n", "line 1: server takes no user or password"),
            ("\ncurrency = EURO\n", "line 2: currency \"EURO\": "),
            ("columns = sku,nope\n", "line 1: columns has no field \"nope\"; it takes sku, artist, "),
            ("password = s3cret\n", "line 1: there is no key \"password\""),
        ] {
            let (tool, folder) = try makeTool(config)
            let outcome = try tool.run("config")
            XCTAssertEqual(outcome.exitCode, 64, config)
            XCTAssertTrue(outcome.messages.contains("\(file(folder)), \(message)"), "\(config): \(outcome.messages)")
            XCTAssertFalse(outcome.messages.contains("s3cret"), outcome.messages)
        }
    }

    func testAValueIsCheckedBeforeItIsStored() throws {
        let (tool, folder) = try makeTool()
        for words in [
            ["bucket", "a b"], ["server", "ftp://x"], ["store", "https://x/v1"], ["tilt", "1"], ["till", " "],
            ["currency", "EURO"], ["columns", "sku,,title"],
        ] {
            let outcome = try tool.run("config", "set", words[0], words[1])
            XCTAssertEqual(outcome.exitCode, 64, "\(words): \(outcome.messages)")
        }
        XCTAssertFalse(FileManager.default.fileExists(atPath: file(folder)))
    }
}
