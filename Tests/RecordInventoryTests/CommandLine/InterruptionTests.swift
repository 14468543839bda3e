import Foundation
import XCTest

@testable import RecordInventory

final class InterruptionTests: XCTestCase {
    /// Sends the signal and waits until it has cancelled this task.
    private static func interrupt() async {
        kill(getpid(), SIGINT)
        let (forever, _) = AsyncStream<Never>.makeStream()
        for await _ in forever {}
    }

    func testControlCCancelsTheWork() async {
        let exitCode = await Interruption.watching {
            await Self.interrupt()
            return Task.isCancelled ? .network : .failed
        }
        XCTAssertEqual(exitCode, .interrupted)
    }

    func testWorkThatWasDoneAllTheSameIsDone() async {
        let exitCode = await Interruption.watching {
            await Self.interrupt()
            return .done
        }
        XCTAssertEqual(exitCode, .done)
    }

    func testWithoutControlCTheWorkDecides() async {
        let exitCode = await Interruption.watching { .notFound }
        XCTAssertEqual(exitCode, .notFound)
    }
}
