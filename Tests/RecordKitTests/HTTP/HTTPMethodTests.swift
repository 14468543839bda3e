import RecordKit
import TestSupport
import XCTest

final class HTTPMethodTests: TimedTestCase {
    func testALiteralIsItsRawValue() {
        XCTAssertEqual(("PURGE" as HTTPMethod).rawValue, "PURGE")
        XCTAssertEqual(HTTPMethod.patch.description, "PATCH")
    }

    /// URLSession sends only these methods in capitals.
    func testSomeMethodsAreInCapitalsHoweverTheyAreWritten() {
        for method in [HTTPMethod.get, .head, .post, .put, .delete, "CONNECT"] {
            XCTAssertEqual(HTTPMethod(rawValue: method.rawValue.lowercased()), method)
            XCTAssertEqual(HTTPMethod(rawValue: method.rawValue.capitalized), method)
        }
        for method in ["patch", "options", "Trace", "query", "getter", "po\u{17F}t", ""] {
            XCTAssertEqual(HTTPMethod(rawValue: method).rawValue, method)
        }
    }
}
