#if !FUZZER
import Foundation
import XCTest

/// Runs the inputs that the fuzzer begins with.
final class ToolSeedTests: XCTestCase {
    func testSeeds() throws {
        let folder = URL(filePath: #filePath).appending(path: "../../Seeds/tool").standardizedFileURL
        let seeds = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        XCTAssertGreaterThan(seeds.count, 10)
        for seed in seeds { fuzzTool(try Data(contentsOf: seed)) }
    }
}

/// Ends the tests, since a check does not return after a violation.
func violation(_ rule: String, _ evidence: String...) -> Never {
    fatalError("Does not hold: \(rule)\n\(evidence.joined(separator: "\n->\n"))")
}
#endif
