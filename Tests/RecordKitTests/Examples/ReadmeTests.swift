import Foundation
import RecordKit
import RecordKitTesting
import TestSupport
import XCTest

final class ReadmeTests: TimedTestCase {
    private let root = URL(filePath: #filePath).appending(path: "../../../..").standardizedFileURL

    func testTheCodeOfTheReadmeIsTheCodeThatIsCompiled() throws {
        let readme = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
        let plain = try code("RecordKitTests/Examples/ReadmeExample.swift")
        let onMainActor = try code("MainActorTests/ReadmeExample.swift")

        XCTAssertTrue(readme.contains(plain), "README.md does not hold what ReadmeExample.swift compiles")
        XCTAssertEqual(onMainActor.replacingOccurrences(of: "nonisolated ", with: ""), plain)
        XCTAssertLessThan(readme.components(separatedBy: "\n").count, 120)
    }

    func testTheExampleAsksForARecord() async throws {
        let server = try LoopbackServer(responses: [.json(#"{"sku": "a", "title": "Blue", "quantity": 1}"#)])

        await printTitle(of: "LP/42", at: NetworkEnvironment(server.url.absoluteString))

        XCTAssertEqual(server.requests.map(\.target), ["/records/LP%2F42"])
    }

    private func code(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: "Tests/\(path)"), encoding: .utf8)
            .trimmingCharacters(in: .newlines)
    }
}
