import RecordKitTesting
import Synchronization
import XCTest

@testable import RecordKit

final class SharedAttemptTests: XCTestCase {
    /// Whoever shares an attempt has made it too, whatever the attempts after it come to.
    func testAnAttemptThatWasSharedIsNotForgotten() async {
        let retry = Retry(base: .zero, floor: .zero)
        for interceptors: [any NetworkInterceptor] in [[retry, SingleFlight()], [SingleFlight(), retry]] {
            let gate = AnswerGate()
            let isFirst = Mutex(true)
            let transport = CannedTransport { _ throws(NetworkError) in
                let isFirst = isFirst.withLock { isFirst in
                    defer { isFirst = false }
                    return isFirst
                }
                guard isFirst else { throw .refused }
                do { try await gate.wait() } catch { throw .cancelled }
                throw .lost
            }
            let spy = CallSpy()
            let network = NetworkConfiguration(transport, [spy] + interceptors, clock: ManualClock())
            let tasks = (0..<3).map { _ in Task { await network.outcome(of: Ask()) } }
            while spy.count(of: .joined) < 2 { await Task.yield() }
            gate.open()
            for task in tasks {
                guard case .failure(.connection(let failure)) = await task.value else { return XCTFail("no failure") }
                XCTAssertEqual(failure.kind, .refused)
                XCTAssertTrue(failure.mayHaveReachedServer, "\(interceptors)")
            }
        }
    }
}
