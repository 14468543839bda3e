import Foundation
import RecordKit
import TestSupport
import XCTest

@testable import RecordKitInterceptors

final class HostTableTests: TimedTestCase {
    func testOfManyHostsTheIdleOnesAreForgottenAndNoOther() throws {
        var table = HostTable<Bool>()
        let origins = try (0..<1000).map { URLOrigin(try XCTUnwrap(URL(string: "http://\($0)"))) }
        for (number, origin) in origins.enumerated() {
            table.withValue(of: origin, default: number % 2 == 0, { $0 }, { _ in })
        }
        let kept = (0..<1000).filter { table[origins[$0]] != nil }
        XCTAssertEqual(kept.filter { $0 % 2 == 1 }.count, 500)
        XCTAssertLessThan(kept.filter { $0 % 2 == 0 }.count, 300)
    }
}
