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

/// Returns the result of `work`. After 30 seconds, fails the test and cancels `work`, so that a call that never ends does
/// not hold up the other tests.
public func withTimeLimit<Value: Sendable>(
    file: StaticString = #filePath, line: UInt = #line, _ work: @escaping @Sendable () async -> Value
) async -> Value {
    let task = Task { await work() }
    let timer = DispatchWorkItem {
        XCTFail("The work did not end within 30 seconds.", file: file, line: line)
        task.cancel()
    }
    DispatchQueue.global().asyncAfter(deadline: .now() + 30, execute: timer)
    defer { timer.cancel() }
    return await withTaskCancellationHandler {
        await task.value
    } onCancel: {
        task.cancel()
    }
}
