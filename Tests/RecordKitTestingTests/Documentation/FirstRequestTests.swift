#if os(Linux) || os(macOS)
import Foundation
import RecordKitTesting
import TestSupport
import XCTest

/// Runs the program of the guide's first page.
final class FirstRequestTests: TimedTestCase {
    func testItPrintsTheRepository() throws {
        let server = try LoopbackServer(responses: [
            .json(#"{"name": "swift", "description": "The Swift Programming Language", "stargazers_count": 1}"#)
        ])
        XCTAssertEqual(try output(of: server.url.absoluteString), "swift: The Swift Programming Language\n")
        XCTAssertEqual(server.requests.map(\.target), ["/repos/swiftlang/swift"])
    }

    func testItSaysWhyItFails() throws {
        let server = try LoopbackServer(responses: [.status(404)])
        XCTAssertEqual(try output(of: server.url.absoluteString), "The status is 404.\n")
        let page = URL(filePath: #filePath).appending(path: "../../../../Sources/Guide/Guide.docc/FirstRequest.md")
        // The page breaks the line, which would be too wide.
        let shown = try String(contentsOf: page.standardizedFileURL, encoding: .utf8)
            .replacingOccurrences(of: "\n", with: " ")
        let printed = try output(of: "http://localhost:1")
        XCTAssertTrue(shown.contains("$ swift run FirstRequest http://localhost:1 \(printed.dropLast()) ```"), printed)
    }

    /// Runs the program, which is built into the folder of the tests.
    private func output(of server: String) throws -> String {
        let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") } ?? Bundle.main
        let folders = [bundle.bundleURL, bundle.bundleURL.deletingLastPathComponent()]
        let program = folders.map { $0.appendingPathComponent("FirstRequest") }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
        let process = Process()
        process.executableURL = try XCTUnwrap(program, "the program was not built beside its tests")
        process.arguments = [server]
        let printed = Pipe()
        process.standardOutput = printed
        try process.run()
        let data = try printed.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self)
    }
}
#endif
