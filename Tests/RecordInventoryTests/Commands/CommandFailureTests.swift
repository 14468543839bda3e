import RecordKitJSON
import RecordKit
import TestSupport
import XCTest

@testable import RecordInventory

final class CommandFailureTests: TimedTestCase {
    func testEachFailureHasItsExitCode() throws {
        let body: JSONValue = ["code": 400, "errno": 107, "error": "Invalid parameters"]
        let problem = try XCTUnwrap(KintoProblem(JSONView(stored: body.bytes())))
        for (error, exitCode) in [
            (.notFound, .notFound), (.conflict(nil), .conflict), (.tooManyConflicts, .conflict),
            (.superseded, .conflict), (.noLock(isChanged: false), .notAllowed), (.noLock(isChanged: true), .failed),
            (.partlyMade([]), .partlyDone), (.notMade(.cancelled), .interrupted), (.noShop, .notAllowed),
            (.notSignedIn, .notAllowed), (.notAllowed, .notAllowed), (.halfRestored, .failed),
            (.rateLimited(after: nil), .rateLimited), (.refused(problem), .failed),
            (.unreadable(Unreadable(id: "A", reason: "it has no sku")), .failed),
        ] as [(InventoryError, ExitCode)] {
            XCTAssertEqual(try CommandFailure(error), CommandFailure(exitCode, "\(error)"))
        }
        XCTAssertThrowsError(try CommandFailure(.network(.cancelled))) {
            XCTAssertTrue($0 is CancellationError)
        }
    }

    func testAProxyIsNamedOnlyWhereOneWasSeen() throws {
        let url = try XCTUnwrap(URL(string: "https://kinto.test/v1/batch"))
        func said(_ body: String) -> String {
            let response = NetworkResponse(statusCode: 500, headers: [:], body: Data(body.utf8), url: url)
            return InventoryError.unanswered(.status(response), nil).description
        }
        let own = said(#"{"code":500,"errno":999,"error":"Internal Server Error","message":"oops"}"#)
        XCTAssertTrue(own.hasPrefix("The server failed and responded with 500"), own)
        XCTAssertFalse(own.contains("proxy"), own)
        XCTAssertTrue(said("<html>").hasPrefix("A proxy in front of Kinto failed"), said("<html>"))
    }
}
