import RecordKit
import XCTest

final class HTTPMethodTests: XCTestCase {
    func testALiteralIsItsRawValue() {
        XCTAssertEqual(("PURGE" as HTTPMethod).rawValue, "PURGE")
        XCTAssertEqual(HTTPMethod.patch.description, "PATCH")
    }
}
