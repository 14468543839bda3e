import TestSupport
import XCTest

@testable import RecordKit

final class HostSlotsTests: TimedTestCase {
    func testFirstComeFirstServed() {
        let slots = HostSlots(limit: 2)
        let order = Kept<[Int]>([])
        for number in 0..<6 {
            let waiter = slots.waiter("a") { _ in order.add(number) }
            XCTAssertEqual(waiter.hasEnded, number < 2)
        }
        for _ in 0..<4 { slots.leave("a") }

        XCTAssertEqual(order.now, [0, 1, 2, 3, 4, 5])
        XCTAssertEqual(slots.count("a").taken, 2)
        XCTAssertEqual(slots.count("a").waiting, 0)
    }

    func testWhoLeavesTheQueueIsPassedOver() throws {
        let slots = HostSlots(limit: 1)
        let order = Kept<[Int]>([])
        let waiters = (0..<4).map { number in
            slots.waiter("a") { hasSlot in if hasSlot { order.add(number) } }
        }

        XCTAssertTrue(waiters[1].end(false))
        XCTAssertFalse(waiters[1].end(false))
        slots.leave("a")
        XCTAssertFalse(waiters[2].end(false), "the waiter already had a slot")
        slots.leave("a")
        slots.leave("a")

        XCTAssertEqual(order.now, [0, 2, 3])
        XCTAssertEqual(slots.count("a").taken, 0)
    }

    func testWhoHasLeftBeforeTakesNoSlot() {
        let slots = HostSlots(limit: 1)
        let waiter = HostSlots.Waiter()
        XCTAssertTrue(waiter.end(false))
        let told = Kept<[Bool]>([])
        waiter.begin { hasSlot in told.add(hasSlot) }
        slots.wait("a", waiter)

        XCTAssertEqual(told.now, [false])
        XCTAssertEqual(slots.count("a").taken, 0)
    }

    func testHostsDoNotWaitForEachOther() {
        let slots = HostSlots(limit: 1)
        XCTAssertTrue(slots.take("a"))
        XCTAssertFalse(slots.take("a"))
        XCTAssertTrue(slots.take("b"))
    }

    func testALimitOfNoneOrLessIsOne() {
        for limit in [0, -1] {
            let slots = HostSlots(limit: limit)
            XCTAssertTrue(slots.take("a"))
            XCTAssertFalse(slots.take("a"))
        }
    }

    func testALongQueueIsLeftQuickly() async throws {
        let slots = HostSlots(limit: 1)
        XCTAssertTrue(slots.take("a"))
        let waiters = (0..<50_000).map { _ in slots.waiter("a") { _ in } }
        for waiter in waiters.reversed() { XCTAssertTrue(waiter.end(false)) }
        XCTAssertEqual(slots.count("a").waiting, 0)
        slots.leave("a")
        XCTAssertEqual(slots.count("a").taken, 0)
    }

    func testWhoHasLeftIsLetGoOfWhenAnotherComes() {
        let slots = HostSlots(limit: 1)
        XCTAssertTrue(slots.take("a"))
        weak var left: HostSlots.Waiter?
        do {
            let waiter = slots.waiter("a") { _ in }
            left = waiter
            XCTAssertTrue(waiter.end(false))
        }
        _ = slots.waiter("a") { _ in }
        XCTAssertNil(left)
    }

    /// Waiting and cancellation neither lose a slot nor free one twice.
    func testNoSlotIsLostInARace() async throws {
        let slots = HostSlots(limit: 3)
        let gauge = Gauge()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<2_000 {
                group.addTask {
                    let task = Task {
                        guard (try? await slots.enter("a")) != nil else { return }
                        gauge.goUp()
                        await Task.yield()
                        gauge.goDown()
                        slots.leave("a")
                    }
                    if number % 3 == 0 { await Task.yield() }
                    if number % 2 == 0 { task.cancel() }
                    await task.value
                }
            }
        }
        XCTAssertLessThanOrEqual(gauge.most, 3)
        XCTAssertEqual(slots.count("a").taken, 0)
        XCTAssertEqual(slots.count("a").waiting, 0)
    }

    private final class Gauge: Sendable {
        private let state = Kept((now: 0, most: 0))

        var most: Int { state.change(\.most) }

        func goUp() {
            state.change { state in
                state.now += 1
                state.most = max(state.most, state.now)
            }
        }

        func goDown() { state.change { $0.now -= 1 } }
    }
}

extension HostSlots {
    fileprivate func waiter(_ origin: URLOrigin, _ action: @escaping @Sendable (Bool) -> Void) -> Waiter {
        let waiter = Waiter()
        waiter.begin(action)
        wait(origin, waiter)
        return waiter
    }
}
