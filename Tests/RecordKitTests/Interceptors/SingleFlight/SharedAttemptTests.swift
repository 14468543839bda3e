import Foundation
import RecordKitTesting
import Synchronization
import XCTest

@testable import RecordKit

final class SharedAttemptTests: XCTestCase {
    private let clock = ManualClock()

    /// Answers once the gate is open.
    private func transport(_ gate: AnswerGate) -> CannedTransport {
        CannedTransport { call throws(NetworkError) in
            do { try await gate.wait() } catch { throw .cancelled }
            return NetworkResponse(statusCode: 200, body: Data("shared".utf8), url: call.url)
        }
    }

    private typealias Outcome = Task<Result<NetworkResponse, NetworkError>, Never>

    /// Two calls, of which the second has joined the attempt that the first has begun.
    private func begin(
        _ first: Ask<Data> = Ask(), _ second: Ask<Data> = Ask(), in network: NetworkConfiguration,
        _ transport: CannedTransport, _ spy: CallSpy
    ) async -> (first: Outcome, second: Outcome) {
        let first = Outcome { await network.outcome(of: first) }
        while transport.calls.isEmpty { await Task.yield() }
        let second = Outcome { await network.outcome(of: second) }
        while spy.count(of: .joined) < 1 { await Task.yield() }
        return (first, second)
    }

    /// Whoever shares an attempt has made it too, whatever the attempts after it come to.
    func testAnAttemptThatWasSharedIsNotForgotten() async {
        let retry = Retry(base: .zero, floor: .zero)
        for interceptors: [any NetworkInterceptor] in [[retry, SingleFlight()], [SingleFlight(), retry]] {
            for isAnswered in [true, false] {
                let gate = AnswerGate()
                let isFirst = Mutex(true)
                let transport = CannedTransport { call throws(NetworkError) in
                    let isFirst = isFirst.withLock { isFirst in
                        defer { isFirst = false }
                        return isFirst
                    }
                    guard isFirst else { throw .refused }
                    do { try await gate.wait() } catch { throw .cancelled }
                    guard isAnswered else { throw .lost }
                    return NetworkResponse(statusCode: 503, url: call.url)
                }
                let spy = CallSpy()
                let network = NetworkConfiguration(transport, [spy] + interceptors, clock: clock)
                let (first, second) = await begin(in: network, transport, spy)
                // The one that began the attempt leaves, and with it the record of that.
                first.cancel()
                _ = await first.value
                gate.open()
                guard case .failure(.connection(let failure)) = await second.value else { return XCTFail("no failure") }
                XCTAssertEqual(failure.kind, .refused)
                XCTAssertTrue(failure.mayHaveReachedServer, "\(interceptors), answered: \(isAnswered)")
            }
        }
    }

    func testACallerWhoLeavesLeavesTheOthersAlone() async throws {
        let gate = AnswerGate()
        let transport = transport(gate)
        let spy = CallSpy()
        let network = NetworkConfiguration(transport, [spy, SingleFlight()], clock: clock)
        let (first, second) = await begin(in: network, transport, spy)
        first.cancel()
        guard case .failure(.cancelled) = await first.value else { return XCTFail("not cancelled") }
        gate.open()
        let response = try await second.value.get()
        XCTAssertEqual(response.body, Data("shared".utf8))
        XCTAssertEqual(transport.calls.count, 1)
    }

    func testTheLastOneOutEndsTheAttempt() async throws {
        let (isSent, hasEnded) = (AnswerGate(), AnswerGate())
        let transport = CannedTransport { _ throws(NetworkError) in
            isSent.open()
            do { try await AnswerGate().wait() } catch { hasEnded.open() }
            throw .cancelled
        }
        let spy = CallSpy()
        let network = NetworkConfiguration(transport, [spy, SingleFlight()], clock: clock)
        let calls = (0..<3).map { _ in Task { await network.outcome(of: Ask()) } }
        try await isSent.wait()
        while spy.count(of: .joined) < 2 { await Task.yield() }
        for call in calls { call.cancel() }
        for call in calls {
            guard case .failure(.cancelled) = await call.value else { return XCTFail("not cancelled") }
        }
        try await hasEnded.wait()
    }

    func testEachCallerHasItsOwnDeadline() async throws {
        let gate = AnswerGate()
        let transport = transport(gate)
        let spy = CallSpy()
        let network = NetworkConfiguration(transport, [spy, SingleFlight()], clock: clock)
        let (hurried, patient) = await begin(
            Ask(options: RequestOptions(deadline: .seconds(1))), in: network, transport, spy)
        await clock.sleepers(1)
        clock.advance(by: .seconds(1))
        guard case .failure(.timedOut(let timeout)) = await hurried.value else { return XCTFail("no timeout") }
        XCTAssertEqual(timeout.limit, .deadline)
        gate.open()
        let status = try await patient.value.get().statusCode
        XCTAssertEqual(status, 200)
        XCTAssertEqual(transport.calls.count, 1)
    }

    /// Such as the slower one of two that are sent at once.
    func testATaskThatAnInterceptorCancelsLeavesTheOthersAlone() async throws {
        let gate = AnswerGate()
        let transport = transport(gate)
        let (spy, impatient) = (CallSpy(), Impatient())
        let network = NetworkConfiguration(transport, [spy, impatient, SingleFlight()], clock: clock)
        let (first, second) = await begin(Ask(), Ask(headers: ["X-Patient": "yes"]), in: network, transport, spy)
        impatient.isOver.open()
        guard case .failure(.cancelled) = await first.value else { return XCTFail("not cancelled") }
        gate.open()
        let status = try await second.value.get().statusCode
        XCTAssertEqual(status, 200)
        XCTAssertEqual(transport.calls.count, 1)
    }

    /// Nobody wants what the interceptors further out would do then.
    func testOneWhoHasLeftIsCancelledOnceTheOthersHaveTheirAnswer() async throws {
        let (gate, isOver) = (AnswerGate(), AnswerGate())
        let transport = transport(gate)
        let spy = CallSpy()
        let network = NetworkConfiguration(
            transport, [spy, AfterAnswer { if Task.isCancelled { isOver.open() } }, SingleFlight()], clock: clock)
        let (first, second) = await begin(in: network, transport, spy)
        first.cancel()
        _ = await first.value
        gate.open()
        let status = try await second.value.get().statusCode
        XCTAssertEqual(status, 200)
        try await isOver.wait()
    }
}

/// Sends a call on in a task of its own, and cancels that when it is over; a patient call goes straight on.
private struct Impatient: NetworkInterceptor {
    let isOver = AnswerGate()

    func intercept(_ call: NetworkCall, next: @escaping NetworkCall.Next) async throws(NetworkError)
        -> NetworkResponse
    {
        var call = call
        if call.headers.contains("X-Patient") {
            call.headers["X-Patient"] = nil
            return try await next(call)
        }
        let task = Task { [call] in
            do throws(NetworkError) {
                return Result<NetworkResponse, NetworkError>.success(try await next(call))
            } catch {
                return .failure(error)
            }
        }
        try? await isOver.wait()
        task.cancel()
        return try await task.value.get()
    }
}

private struct AfterAnswer: NetworkInterceptor {
    let action: @Sendable () -> Void

    func intercept(_ call: NetworkCall, next: NetworkCall.Next) async throws(NetworkError) -> NetworkResponse {
        let response = try await next(call)
        action()
        return response
    }
}
