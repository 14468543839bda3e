import Dispatch
import XCTest

/// Returns when a condition holds. Fails the test after 30 seconds.
public func until(file: StaticString = #filePath, line: UInt = #line, _ condition: () -> Bool) async {
    let end = ContinuousClock.now + .seconds(30)
    while !condition() {
        if ContinuousClock.now > end {
            return XCTFail("The condition did not hold within 30 seconds.", file: file, line: line)
        }
        await Task.yield()
    }
}

/// Returns the value of `work`, or throws its error. After 30 seconds, fails the test and cancels `work`, so that a
/// call that never ends does not hold up the other tests.
public func withTimeLimit<Value: Sendable, Failure: Error>(
    file: StaticString = #filePath, line: UInt = #line, _ work: @escaping @Sendable () async throws(Failure) -> Value
) async throws(Failure) -> Value {
    let isCancelled = Task.isCancelled
    let task = Task { () async -> Result<Value, Failure> in
        // Before the work begins: the cancellation handler below may be called after that.
        if isCancelled { withUnsafeCurrentTask { $0?.cancel() } }
        do throws(Failure) {
            return .success(try await work())
        } catch {
            return .failure(error)
        }
    }
    let timer = DispatchWorkItem {
        XCTFail("The work did not end within 30 seconds.", file: file, line: line)
        task.cancel()
    }
    DispatchQueue.global().asyncAfter(deadline: .now() + 30, execute: timer)
    defer { timer.cancel() }
    return try await withTaskCancellationHandler {
        await task.value
    } onCancel: {
        task.cancel()
    }.get()
}
