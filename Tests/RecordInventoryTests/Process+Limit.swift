import Foundation
import XCTest

extension XCTestCase {
    private struct TimeLimitExceeded: Error {}

    /// Runs `work`, for a minute at most, so that work that never ends does not hold up the other tests.
    func withTimeLimit<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) async throws -> Value {
        let isDone = expectation(description: "the work has ended")
        let (outcomes, outcome) = AsyncThrowingStream.makeStream(of: Value.self)
        let task = Task {
            do {
                outcome.yield(try await work())
            } catch {
                outcome.finish(throwing: error)
            }
            isDone.fulfill()
        }
        await fulfillment(of: [isDone], timeout: 60)
        task.cancel()
        outcome.finish()
        for try await value in outcomes { return value }
        throw TimeLimitExceeded()
    }
}

extension Process {
    /// Kills the process after two minutes, so that a test that waits for its end or its output fails.
    func killAfterTwoMinutes() {
        let number = processIdentifier
        DispatchQueue.global().asyncAfter(deadline: .now() + 120) { [weak self] in
            if self?.isRunning == true { kill(number, SIGKILL) }
        }
    }
}
