import RecordKit
import TestSupport
import XCTest

final class HostileTests: TimedTestCase {
    func testHeads() async throws {
        try await check(HostileBehaviour.heads)
    }

    func testBodies() async throws {
        try await check(HostileBehaviour.bodies)
    }

    func testRedirectsAndChallenges() async throws {
        try await check(HostileBehaviour.redirects)
    }

    func testThereAreManyAndEachHasItsName() {
        let all = HostileBehaviour.heads + HostileBehaviour.bodies + HostileBehaviour.redirects
        XCTAssertGreaterThanOrEqual(all.count, 60)
        XCTAssertEqual(Set(all.map(\.name)).count, all.count)
    }

    /// Checks that each behavior, run in each way, has the expected outcome.
    private func check(_ behaviours: [HostileBehaviour]) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for behaviour in behaviours {
                group.addTask {
                    for way in HostileBehaviour.Way.allCases {
                        let expected: String? =
                            switch way {
                            case .dataTaskInOtherSession: behaviour.inOtherSession
                            case .curl: behaviour.byCurl
                            case .value, .dataTask: nil
                            }
                        let outcome = try await behaviour.outcome(way)
                        XCTAssertEqual(outcome, expected ?? behaviour.expected, "\(behaviour.name), as a \(way)")
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}
