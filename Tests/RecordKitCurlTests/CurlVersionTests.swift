import RecordKitCurl
import TestSupport
import XCTest

final class CurlVersionTests: TimedTestCase {
    func testVersionIsSupported() throws {
        let numbers = CurlTransport.version.split(separator: ".").compactMap { Int($0) }
        XCTAssertEqual(numbers.count, 3)
        XCTAssertTrue(try XCTUnwrap(numbers.first) > 7 || numbers[1] >= 68, CurlTransport.version)
    }
}
