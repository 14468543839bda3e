import Dispatch
import TestSupport
import XCTest

@testable import RecordKit

final class TimersTests: TimedTestCase {
    func testTheyFireInTheOrderOfTheirTimesWhateverTheOrderTheyWereSetIn() async {
        let fired = AsyncStream<Int>.makeStream()
        // The earliest and the latest time of each timer, because the machine may stall while a timer is set.
        var times: [Int: ClosedRange<DispatchTime>] = [:]
        for number in [3, 1, 9, 2, 0, 6, 8, 5, 7, 4] {
            let delay = DispatchTimeInterval.milliseconds(100 + 5 * number)
            let earliest = DispatchTime.now() + delay
            _ = Timers.shared.add(after: .milliseconds(100 + 5 * number)) { fired.continuation.yield(number) }
            times[number] = earliest...(DispatchTime.now() + delay)
        }
        var order: [Int] = []
        for await number in fired.stream.prefix(10) { order.append(number) }
        XCTAssertEqual(order.sorted(), Array(0..<10))
        for (one, next) in zip(order, order.dropFirst()) {
            if let time = times[one], let nextTime = times[next] {
                XCTAssertLessThanOrEqual(time.lowerBound, nextTime.upperBound, "\(order)")
            }
        }
    }

    func testARemovedTimerDoesNotFireAndIsReleased() async {
        let fired = AsyncStream<Int>.makeStream()
        weak var kept: Owner?
        do {
            let owner = Owner()
            kept = owner
            let id = Timers.shared.add(after: .milliseconds(10)) {
                fired.continuation.yield(1)
                withExtendedLifetime(owner) {}
            }
            Timers.shared.remove(id)
        }
        XCTAssertNil(kept)
        _ = Timers.shared.add(after: .milliseconds(60)) { fired.continuation.yield(2) }
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

    func testDurationsAsAPersonReadsThem() {
        let texts: [(Duration, String)] = [
            (.microseconds(400), "0.4 ms"), (.microseconds(9_990), "9.9 ms"), (.milliseconds(10), "10 ms"),
            (.milliseconds(999), "999 ms"), (.seconds(1), "1.0 s"), (.milliseconds(61_290), "61.2 s"),
        ]
        for (duration, text) in texts { XCTAssertEqual(duration.shortText, text) }
    }

    private final class Owner: Sendable {}
}
