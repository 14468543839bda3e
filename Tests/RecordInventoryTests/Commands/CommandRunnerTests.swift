import RecordKit
import TestSupport
import XCTest

@testable import RecordInventory

final class CommandRunnerTests: TimedTestCase {
    func testEachFailureHasItsExitCode() throws {
        let problem = KintoProblem(code: 400, errno: 107, error: "Invalid parameters", message: nil, missing: nil)
        for (error, exitCode) in [
            (.notFound, .notFound), (.conflict(nil), .conflict), (.crowded, .conflict), (.noShop, .notAllowed),
            (.notSignedIn, .notAllowed),
            (.notAllowed, .notAllowed), (.noLock(isChanged: false), .notAllowed), (.noLock(isChanged: true), .failed),
            (.rateLimited(after: nil), .rateLimited), (.refused(problem), .failed),
            (.unreadable(UnreadableRecord(id: "A", reason: "it has no sku")), .failed),
        ] as [(InventoryError, ExitCode)] {
            XCTAssertEqual(try CommandFailure(error), CommandFailure(exitCode, "\(error)"))
        }
        XCTAssertThrowsError(try CommandFailure(.network(.cancelled))) { XCTAssertTrue($0 is CancellationError) }
    }
}
