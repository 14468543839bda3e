import RecordKitTesting
import TestSupport
import XCTest

import RecordKit
@testable import RecordKitInterceptors

final class FlightsTests: TimedTestCase {
    private let flights = Flights<String, Int>()

    func testACallerWhoWasCancelledBeforeStartsNothing() async {
        let flights = flights
        let isCancelled = ResponseGate()
        let caller = Task {
            try? await isCancelled.wait()
            return await networkError {
                try await flights.value(of: "a", endsWithLast: false) {
                    XCTFail("started")
                    return .success(1)
                }
            }
        }
        caller.cancel()
        guard case .cancelled? = await caller.value else { return XCTFail("not cancelled") }
    }

    /// Cancelled work may continue for a while, and end after its successor has begun.
    func testWorkThatAllHaveLeftIsNotJoined() async throws {
        let flights = flights
        let (isBegun, isLeft, isBegunAgain, isOver) = (ResponseGate(), ResponseGate(), ResponseGate(), ResponseGate())
        let first = Task {
            try? await flights.value(of: "a", endsWithLast: true) {
                isBegun.open()
                // Ignores its cancellation.
                await Task { try? await isLeft.wait() }.value
                return .success(1)
            }
        }
        await until { isBegun.isOpen }
        first.cancel()
        _ = await first.value
        let second = Task {
            try? await flights.value(of: "a", endsWithLast: true) {
                isBegunAgain.open()
                await Task { try? await isOver.wait() }.value
                return .success(2)
            }
        }
        await until { isBegunAgain.isOpen || flights.count(of: "a") != 0 }
        isLeft.open()
        for _ in 0..<1000 { await Task.yield() }
        isOver.open()
        assertEqual(await second.value, 2)
    }
}
