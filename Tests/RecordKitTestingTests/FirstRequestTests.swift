#if os(Linux) || os(macOS)
import RecordKitTesting
import TestSupport
import XCTest

/// Runs the program of the README and of the guide's first page.
final class FirstRequestTests: TimedTestCase {
    private let root = URL(filePath: #filePath).appending(path: "../../..").standardizedFileURL

    /// The program on the server that the pages start.
    func testItPrintsTheRecord() throws {
        let server = Process()
        server.executableURL = URL(filePath: "/usr/bin/env")
        server.arguments = ["python3", root.appending(path: "Scripts/servers/store-server.py").path, "0"]
        let address = Pipe()
        server.standardOutput = address
        try server.run()
        defer { server.terminate() }
        let line = String(decoding: address.fileHandleForReading.availableData, as: UTF8.self)
        let printed = try output(of: line.trimmingCharacters(in: .newlines))
        XCTAssertEqual(printed, "Kind of Miles: 2 left\n")
        for page in try pages() { XCTAssertTrue(page.contains("$ swift run FirstRequest \(printed)".flat), page) }
    }

    func testItPrintsTheStatus() throws {
        let server = try LoopbackServer(responses: [.status(404)])
        XCTAssertEqual(try output(of: server.url.absoluteString), "The status is 404.\n")
        XCTAssertEqual(server.requests.map(\.target), ["/records/LP-0042"])
    }

    /// Both pages show what it prints without a server. They break the line, which would be too wide.
    func testItSaysWhyItFails() throws {
        let printed = try output(of: "http://localhost:1").replacingOccurrences(
            of: "localhost:1", with: "localhost:8642")
        XCTAssertTrue(printed.contains("cannot be reached"), printed)
        for page in try pages() { XCTAssertTrue(page.contains(printed.flat), printed) }
    }

    func testBothPagesShowTheProgram() throws {
        let program = try String(
            contentsOf: root.appending(path: "Sources/Guide/FirstRequest/main.swift"), encoding: .utf8)
        for page in try pages() { XCTAssertTrue(page.contains(program.flat)) }
    }

    /// The pages, each as one line.
    private func pages() throws -> [String] {
        try ["README.md", "Sources/Guide/Guide.docc/FirstRequest.md"].map {
            try String(contentsOf: root.appending(path: $0), encoding: .utf8).flat
        }
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

extension String {
    /// The text with a space for each line break.
    fileprivate var flat: String {
        components(separatedBy: .newlines).joined(separator: " ").trimmingCharacters(in: .whitespaces)
    }
}
#endif
