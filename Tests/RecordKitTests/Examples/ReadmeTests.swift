import Foundation
import RecordKit
import RecordKitTesting
import TestSupport
import XCTest

/// The programs of the README. `Scripts/compile-errors` typechecks them as they are printed.
final class ReadmeTests: TimedTestCase {
    private let root = URL(filePath: #filePath).appending(path: "../../../..").standardizedFileURL

    /// Each line of the programs is in the example, in order, apart from its indentation and from the session.
    func testTheCodeOfTheReadmeIsTheCodeThatIsCompiled() throws {
        let readme = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
        var example = try lines(
            String(
                contentsOf: root.appending(path: "Tests/RecordKitTests/Examples/ReadmeExample.swift"), encoding: .utf8))[
                ...]
        let blocks = readme.components(separatedBy: "```swift\n").dropFirst().map {
            $0.components(separatedBy: "```")[0]
        }
        let programs = blocks.filter { !$0.hasPrefix(".package") }
        XCTAssertEqual(programs.count, 2)
        for line in programs.flatMap(lines) where !line.hasPrefix("let network = ") {
            guard let index = example.firstIndex(of: line) else {
                return XCTFail("not in ReadmeExample.swift: \(line)")
            }
            example = example[(index + 1)...]
        }
        XCTAssertLessThan(readme.components(separatedBy: "\n").count, 160)
    }

    /// A host shows the README as Markdown, so its links are paths of files.
    func testTheLinksOfTheReadmeLeadToFiles() throws {
        let readme = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
        let targets = readme.matches(of: /\]\(([^)]+)\)/).map { String($0.1) }.filter { !$0.hasPrefix("http") }
        XCTAssertGreaterThan(targets.count, 25)
        for target in targets {
            XCTAssertTrue(FileManager.default.fileExists(atPath: root.appending(path: target).path), target)
        }
    }

    func testTheProgramsSendAndPrint() async throws {
        let server = try LoopbackServer(responses: [
            .json(#"{"sku": "LP-0042", "title": "Kind of Miles", "quantity": 3}"#), .status(409),
        ])
        let network = NetworkSession(environment: NetworkEnvironment(server.url))

        try await printStock(network)
        await sellOne(network)

        XCTAssertEqual(server.requests.map(\.target), ["/records/LP-0042", "/records/LP-0042/sales"])
        XCTAssertEqual(server.requests.last?.body, Data(#"{"copies":1}"#.utf8))
    }

    private func lines(_ text: String) -> [String] {
        text.components(separatedBy: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    }
}
