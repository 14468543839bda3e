import Foundation
import Synchronization
import XCTest

@testable import RecordKit

final class AttemptTimersTests: XCTestCase {
    func testTheyFireInTheOrderOfTheirTimesWhateverTheOrderTheyWereSetIn() async {
        let fired = AsyncStream<Int>.makeStream()
        for number in [3, 1, 2, 0] {
            _ = AttemptTimers.shared.add(after: .milliseconds(20 * number)) { fired.continuation.yield(number) }
        }
        var order: [Int] = []
        for await number in fired.stream.prefix(4) { order.append(number) }
        XCTAssertEqual(order, [0, 1, 2, 3])
    }

    func testWhatIsRemovedDoesNotFireAndIsNotKept() async {
        let fired = AsyncStream<Int>.makeStream()
        weak var kept: Owner?
        do {
            let owner = Owner()
            kept = owner
            let id = AttemptTimers.shared.add(after: .milliseconds(10)) {
                fired.continuation.yield(1)
                withExtendedLifetime(owner) {}
            }
            AttemptTimers.shared.remove(id)
        }
        XCTAssertNil(kept)
        _ = AttemptTimers.shared.add(after: .milliseconds(60)) { fired.continuation.yield(2) }
        for await number in fired.stream.prefix(1) { XCTAssertEqual(number, 2) }
    }

    func testDurationsFitWhatCountsThem() {
        XCTAssertEqual(Duration(attoseconds: .max).limited, .seconds(366 * 86_400))
        XCTAssertEqual(Duration(attoseconds: .min).limited, .zero)
        XCTAssertEqual(Duration.milliseconds(1500).timeInterval, 1.5)
        guard case .nanoseconds(1_500_000_001) = Duration.nanoseconds(1_500_000_001).dispatchInterval else {
            return XCTFail("\(Duration.nanoseconds(1_500_000_001).dispatchInterval)")
        }
    }

    private final class Owner: Sendable {}
}
