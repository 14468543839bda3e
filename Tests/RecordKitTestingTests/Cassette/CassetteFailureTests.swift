import RecordKit
import RecordKitInterceptors
import RecordKitTesting
import TestSupport
import XCTest

final class CassetteFailureTests: TimedTestCase {
    private let clock = ManualClock(advancesItself: true)

    private func network(_ transport: some NetworkTransport) -> NetworkConfiguration {
        NetworkConfiguration(
            environment: NetworkEnvironment("https://a.test"), transport: transport, interceptors: [RetryInterceptor()],
            clock: clock.networkClock)
    }

    func testARetryIsRepeatedInTheReplay() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "one.har")
        let stub = StubServer()
        stub.respond(to: "POST /ask", with: .refused, .failure(.cannotFindHost), .text("made"))
        func run(_ mode: Cassette.Mode) async throws -> String {
            let cassette = try Cassette(file, mode)
            let made = try await NetworkSession(network(cassette)).value(for: Ask<String>(method: .post, content: "x"))
            try cassette.verify()
            return made
        }
        let recorded = try await run(.record(through: stub))
        let replayed = try await run(.replay)
        XCTAssertEqual(recorded, "made")
        XCTAssertEqual(replayed, "made")
    }

    func testARequestThatMayHaveBeenSentIsNotRetriedInTheReplay() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "one.har")
        let recorder = try Cassette(file, .record(through: Doubtful()))
        let ask = Ask<String>(method: .post, content: "x")
        let live = await network(recorder).failure(of: ask)
        let error = await network(try Cassette(file, .replay)).failure(of: ask)
        XCTAssertEqual(live?.mayHaveReachedServer, true)
        XCTAssertEqual(error?.mayHaveReachedServer, true)
        XCTAssertEqual(clock.sleeps, [])
    }

    /// A transport that doesn't know whether a call was sent before its connection was refused.
    private struct Doubtful: NetworkTransport {
        func exchange(_ call: NetworkCall) async throws(NetworkError) -> NetworkResponse {
            throw .connection(
                NetworkError.ConnectionFailure(kind: .refused, host: "a.test:443", mayHaveReachedServer: true))
        }
    }

    func testADeadlineOrATimeoutIsReplayedAsOne() async throws {
        let cases: [(RequestOptions, NetworkError.Timeout.Limit)] = [
            (RequestOptions(deadline: .seconds(5)), .deadline), (RequestOptions(timeout: .seconds(5)), .attempt),
        ]
        for (options, limit) in cases { try await check(options, limit) }
    }

    /// Checks that a call which ends after five seconds ends with the same limit in the replay.
    private func check(_ options: RequestOptions, _ limit: NetworkError.Timeout.Limit) async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "one.har")
        for answer in [StubResponse.never, .text("held").after(ResponseGate())] {
            let clock = ManualClock()
            let stub = StubServer()
            stub.respond(to: "/ask", with: answer)
            func network(_ cassette: Cassette) -> NetworkConfiguration {
                NetworkConfiguration(
                    environment: NetworkEnvironment("https://a.test"), transport: cassette, clock: clock.networkClock)
            }
            let recorder = network(try Cassette(file, .record(through: stub)))
            let ask = Ask<Data>(options: options)
            async let live = recorder.failure(of: ask)
            _ = try await stub.request(at: 0)
            clock.advance(by: .seconds(5))
            guard case .timedOut(let timeout) = await live else { return XCTFail("no timeout") }
            XCTAssertEqual(timeout.limit, limit)
            try await folder.waits(for: "_failure", in: "one.har")
            let cassette = try Cassette(file, .replay)
            guard case .timedOut(timeout) = await network(cassette).failure(of: ask) else { return XCTFail("changed") }
            try cassette.verify()
        }
    }

    /// A transport that ends a cancelled exchange only when a gate opens.
    private struct Slow: NetworkTransport {
        let began: ResponseGate
        let gate: ResponseGate

        func exchange(_ call: NetworkCall) async throws(NetworkError) -> NetworkResponse {
            if call.url.path == "/ask" {
                return NetworkResponse(statusCode: 302, headers: ["Location": "/hung"], url: call.url)
            }
            began.open()
            let gate = gate
            await Task.detached { try? await gate.wait() }.value
            throw .cancelled
        }
    }

    /// The caller has the error before the exchange has ended, and the timer may have begun at an earlier hop.
    func testACallThatEndedIsReplayedAtOnce() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "one.har")
        for limit in [NetworkError.Timeout.Limit.attempt, .deadline, nil] {
            let (clock, began, gate) = (ManualClock(), ResponseGate(), ResponseGate())
            func network(_ cassette: Cassette) -> NetworkConfiguration {
                NetworkConfiguration(
                    environment: NetworkEnvironment("https://a.test"), transport: cassette, clock: clock.networkClock)
            }
            let cassette = try Cassette(file, .record(through: Slow(began: began, gate: gate)))
            let recorder = network(cassette)
            let options =
                limit == .deadline ? RequestOptions(deadline: .seconds(5)) : RequestOptions(timeout: .seconds(5))
            let ask = Ask<Data>(options: options)
            let call = Task { await recorder.failure(of: ask) }
            try await began.wait()
            XCTAssertThrowsError(try cassette.verify()) { error in
                XCTAssertEqual(
                    error as? CassetteError, .pending(file: file.path, requests: ["GET https://a.test/hung"]))
            }
            if limit == nil { call.cancel() } else { clock.advance(by: .seconds(5)) }
            let live = await call.value
            XCTAssertNoThrow(try cassette.verify())
            let replay = try Cassette(file, .replay)
            let replayed = await network(replay).failure(of: ask)
            XCTAssertEqual(replayed?.description, live?.description)
            if case .timedOut(let timeout)? = replayed {
                XCTAssertEqual(timeout.limit, limit)
            } else {
                XCTAssertNil(limit, "\(String(describing: replayed))")
            }
            gate.open()
            try replay.verify()
        }
    }

    func testAFailureIsReplayedAsWhatItWas() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "one.har")
        let answers: [StubResponse] = [
            .failure(.timedOut), .failure(.notConnectedToInternet), .failure(.networkConnectionLost),
            .failure(.badServerResponse), .failure(.cannotFindHost), .refused, .failure(.serverCertificateUntrusted),
        ]
        for answer in answers {
            let stub = StubServer()
            stub.respond(to: "/ask", with: answer)
            var options = RequestOptions(timeout: .seconds(7))
            options.retry = .never
            let ask = Ask<Data>(options: options)
            let live = await network(try Cassette(file, .record(through: stub))).failure(of: ask)
            let error = await network(try Cassette(file, .replay)).failure(of: ask)
            if case .connection(let failure) = error {
                XCTAssertEqual((failure.cause as? RecordedError)?.description, live?.description)
            }
            XCTAssertEqual(error?.isTransient, live?.isTransient)
            XCTAssertEqual(error?.mayHaveReachedServer, live?.mayHaveReachedServer)
            if live?.isTransient == false {
                let reason = try XCTUnwrap(live).description
                XCTAssertEqual(error?.description, "The call to a.test:443 failed: \(reason)")
                continue
            }
            XCTAssertEqual(error?.description, live?.description)
        }
    }
}
