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
        let outcome = try tool.run("config", "set", "till", "1").expect(1)
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
        try tool.run("config", "set", "till", "1").expect(64, "cannot be read")
    }
}
