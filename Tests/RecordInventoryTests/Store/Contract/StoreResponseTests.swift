import Foundation
import RecordKit
import TestSupport
import XCTest

@testable import RecordInventory

final class StoreResponseTests: TimedTestCase {
    func testAVersionIsADateInWholeSeconds() {
        for (milliseconds, text) in [
            (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (1_795_222_640_790, "Sat, 21 Nov 2026 00:57:20 GMT"),
            (-1, "Wed, 31 Dec 1969 23:59:59 GMT"), (-86_400_000, "Wed, 31 Dec 1969 00:00:00 GMT"),
            (-86_400_001, "Tue, 30 Dec 1969 23:59:59 GMT"), (-2_203_891_200_000, "Thu, 01 Mar 1900 00:00:00 GMT"),
            (-11_670_912_000_001, "Tue, 29 Feb 1600 23:59:59 GMT"),
            (951_782_400_000, "Tue, 29 Feb 2000 00:00:00 GMT"), (951_868_799_999, "Tue, 29 Feb 2000 23:59:59 GMT"),
            (4_107_542_400_000, "Mon, 01 Mar 2100 00:00:00 GMT"), (1_735_689_599_000, "Tue, 31 Dec 2024 23:59:59 GMT"),
        ] as [(Int64, String)] {
            XCTAssertEqual(StoreResponse.versionHeaders(milliseconds)["Last-Modified"], text)
        }
    }
}
