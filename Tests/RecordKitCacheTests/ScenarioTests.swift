import RecordKit
import RecordKitCache
import TestSupport
import XCTest

/// Plays the scenarios of the specifications.
final class ScenarioTests: TimedTestCase {
    private static let all = FreshnessScenarios.all + StoringScenarios.all

    func testScenariosInMemory() async {
        for scenario in Self.all {
            if let wrong = await Player().play(scenario) { XCTFail(wrong) }
        }
        XCTAssertGreaterThan(Self.all.count, 200)
    }
}
