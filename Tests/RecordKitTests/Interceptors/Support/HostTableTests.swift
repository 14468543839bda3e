import TestSupport
import XCTest

import RecordKit
@testable import RecordKitInterceptors

final class HostTableTests: TimedTestCase {
    func testOfManyHostsTheIdleOnesAreForgottenAndNoOther() {
        var table = HostTable<Bool>()
        for number in 0..<1000 { table.withValue(of: "\(number)", default: number % 2 == 0, { $0 }, { _ in }) }
        let kept = (0..<1000).filter { table["\($0)"] != nil }
        XCTAssertEqual(kept.filter { $0 % 2 == 1 }.count, 500)
        XCTAssertLessThan(kept.filter { $0 % 2 == 0 }.count, 300)
    }
}
