import RecordKit
import TestSupport
import XCTest

final class HostileTests: TimedTestCase {
    func testHeads() async throws { try await check(HostileBehavior.heads) }

    func testBodies() async throws { try await check(HostileBehavior.bodies) }

    func testRedirectsAndChallenges() async throws { try await check(HostileBehavior.redirects) }

    func testThereAreManyAndEachHasItsName() {
        let all = HostileBehavior.heads + HostileBehavior.bodies + HostileBehavior.redirects
        XCTAssertGreaterThanOrEqual(all.count, 60)
        XCTAssertEqual(Set(all.map(\.name)).count, all.count)
    }

    /// Checks that each behavior, run in each way, has the expected outcome.
    private func check(_ behaviors: [HostileBehavior]) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for behavior in behaviors {
                group.addTask {
                    for way in HostileBehavior.Way.allCases {
                        let expected: String? =
                            switch way {
                            case .dataTaskInOtherSession: behavior.inOtherSession
                            case .curl: behavior.byCurl
                            case .value, .dataTask: nil
                            }
                        let outcome = try await behavior.outcome(way)
                        XCTAssertEqual(outcome, expected ?? behavior.expected, "\(behavior.name), as a \(way)")
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}
