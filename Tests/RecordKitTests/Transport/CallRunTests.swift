import Foundation
import RecordKitTesting
import XCTest

@testable import RecordKit

final class CallRunTests: XCTestCase {
    private let call = NetworkCall(url: URL(filePath: "/"))
    private let answer = NetworkResponse(statusCode: 200, url: URL(filePath: "/"))
    private let (isBegun, gate) = (AnswerGate(), AnswerGate())

    /// What a call comes to that waits for the gate, and that is cancelled with its task.
    private func outcome(_ run: CallRun) -> Task<NetworkCall.Outcome, Never> {
        Task { [call, answer, isBegun, gate] in
            await run.outcome(of: call) { _ throws(NetworkError) in
                isBegun.open()
                do { try await gate.wait() } catch { throw .cancelled }
                return answer
            }
        }
    }

    func testTheCallerGetsWhatComesOfIt() async throws {
        let caller = outcome(CallRun())
        gate.open()
        let status = try await caller.value.get().statusCode
        XCTAssertEqual(status, 200)
    }

    func testACallerWhoIsCancelledEndsIt() async throws {
        let run = CallRun()
        let caller = outcome(run)
        try await isBegun.wait()
        caller.cancel()
        guard case .failure(.cancelled) = await caller.value else { return XCTFail("not cancelled") }
        XCTAssertFalse(run.hold())
    }

    func testACallerWhoHasLeftBeforeItBeginsEndsIt() async {
        let run = CallRun()
        run.leave()
        run.leave()
        guard case .failure(.cancelled) = await outcome(run).value else { return XCTFail("not cancelled") }
    }

    func testWhoLeavesWhatAnotherHoldsIsAnsweredAtOnce() async throws {
        let (run, isOver) = (CallRun(), AnswerGate())
        let caller = Task { [call, answer, isBegun, gate] in
            await run.outcome(of: call) { _ throws(NetworkError) in
                isBegun.open()
                do { try await gate.wait() } catch { throw .cancelled }
                XCTAssertFalse(Task.isCancelled)
                isOver.open()
                return answer
            }
        }
        try await isBegun.wait()
        XCTAssertTrue(run.hold())
        caller.cancel()
        guard case .failure(.cancelled) = await caller.value else { return XCTFail("not cancelled") }
        XCTAssertFalse(isOver.isOpen)
        gate.open()
        try await isOver.wait()
    }

    func testTheLastWhoReleasesItEndsIt() async throws {
        let (run, isOver) = (CallRun(), AnswerGate())
        let caller = Task { [call, isBegun, gate] in
            await run.outcome(of: call) { _ throws(NetworkError) in
                isBegun.open()
                do { try await gate.wait() } catch { isOver.open() }
                throw .cancelled
            }
        }
        try await isBegun.wait()
        XCTAssertTrue(run.hold())
        XCTAssertTrue(run.hold())
        caller.cancel()
        _ = await caller.value
        run.release()
        XCTAssertTrue(run.hold())
        run.release()
        run.release()
        try await isOver.wait()
        XCTAssertFalse(run.hold())
    }

    func testItKnowsItsOwnTask() async {
        let run = CallRun()
        XCTAssertFalse(run.isCurrent)
        _ = await run.outcome(of: call) { [answer] _ throws(NetworkError) in
            XCTAssertTrue(run.isCurrent)
            await withTaskGroup(of: Void.self) { group in group.addTask { XCTAssertFalse(run.isCurrent) } }
            await Task { XCTAssertFalse(run.isCurrent) }.value
            XCTAssertTrue(run.isCurrent)
            return answer
        }
        XCTAssertFalse(run.isCurrent)
    }
}
