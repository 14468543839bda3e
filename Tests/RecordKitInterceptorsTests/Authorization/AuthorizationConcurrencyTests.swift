import Foundation
import RecordKit
import RecordKitInterceptors
import RecordKitTesting
import Synchronization
import TestSupport
import XCTest

final class AuthorizationConcurrencyTests: TimedTestCase {
    /// Rejects the old token after a number of calls have used it.
    private func transport(untilCalls count: Int) -> CannedTransport {
        let arrived = Mutex(0)
        let gate = ResponseGate()
        return CannedTransport { call throws(NetworkError) in
            guard call.headers["Authorization"] == "Bearer old" else {
                return NetworkResponse(statusCode: 200, url: call.url)
            }
            let isLast = arrived.withLock { arrived in
                arrived += 1
                return arrived == count
            }
            if isLast { gate.open() }
            do { try await gate.wait() } catch { throw .cancelled }
            return NetworkResponse(statusCode: 401, url: call.url)
        }
    }

    private func network(_ transport: CannedTransport, _ tokens: TokenSource) -> NetworkConfiguration {
        NetworkConfiguration(
            transport, [AuthorizationInterceptor(tokens, for: "https://store.example")], clock: ManualClock())
    }

    private func outcomes(
        of count: Int, in network: NetworkConfiguration
    ) async -> [Result<NetworkResponse, NetworkError>] {
        await withTaskGroup(of: Result<NetworkResponse, NetworkError>.self) { group in
            for _ in 0..<count { group.addTask { await NetworkSession(network).outcome(of: Ask()) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }

    func testAHundred401sCauseOneRefreshAndOneRetryEach() async throws {
        let refreshes = Mutex(0)
        let tokens = TokenSource(store: MemoryCredentialStore(AccessToken("old"))) { _ in
            refreshes.withLock { $0 += 1 }
            // The others arrive during the refresh.
            for _ in 0..<1000 { await Task.yield() }
            return AccessToken("new")
        }
        let transport = transport(untilCalls: 100)
        let outcomes = await outcomes(of: 100, in: network(transport, tokens))
        XCTAssertEqual(try outcomes.map { try $0.get().statusCode }, Array(repeating: 200, count: 100))
        XCTAssertEqual(refreshes.withLock { $0 }, 1)
        let sent = transport.calls.map { $0.headers["Authorization"] }
        XCTAssertEqual(sent.count { $0 == "Bearer old" }, 100)
        XCTAssertEqual(sent.count { $0 == "Bearer new" }, 100)
    }

    func testAFailedRefreshFailsThemAllWithItsOwnError() async {
        let refreshes = Mutex(0)
        let tokens = TokenSource(store: MemoryCredentialStore(AccessToken("old"))) { _ in
            refreshes.withLock { $0 += 1 }
            for _ in 0..<1000 { await Task.yield() }
            throw CocoaError(.userCancelled)
        }
        let transport = transport(untilCalls: 100)
        let outcomes = await outcomes(of: 100, in: network(transport, tokens))
        for outcome in outcomes {
            guard case .failure(.interceptor(let failure)) = outcome else { return XCTFail("\(outcome)") }
            XCTAssertEqual((failure.cause as? CocoaError)?.code, .userCancelled)
            XCTAssertEqual(failure.response?.statusCode, 401)
        }
        XCTAssertEqual(refreshes.withLock { $0 }, 1)
        XCTAssertEqual(transport.calls.count, 100)
    }

    func testALate401OfTheOldTokenFindsTheNewOne() async throws {
        let (isSent, gate) = (ResponseGate(), ResponseGate())
        let refreshes = Mutex(0)
        let tokens = TokenSource(store: MemoryCredentialStore(AccessToken("old"))) { _ in
            refreshes.withLock { $0 += 1 }
            return AccessToken("new")
        }
        let transport = CannedTransport(accepting: "new", holding: .put, isSent, until: gate)
        let network = network(transport, tokens)
        let late = Task { await NetworkSession(network).status(of: Ask(method: .put)) }
        await until { isSent.isOpen }
        let early = await NetworkSession(network).status()
        gate.open()
        let statuses = await [early, late.value]
        XCTAssertEqual(statuses, [200, 200])
        XCTAssertEqual(refreshes.withLock { $0 }, 1)
    }

    func testALate401OfARefreshThatFailedFailsWithIt() async throws {
        let (isSent, gate) = (ResponseGate(), ResponseGate())
        let refreshes = Mutex(0)
        let tokens = TokenSource(store: MemoryCredentialStore(AccessToken("old"))) { _ in
            refreshes.withLock { $0 += 1 }
            throw CocoaError(.userCancelled)
        }
        let transport = CannedTransport(accepting: "none", holding: .put, isSent, until: gate)
        let network = network(transport, tokens)
        let late = Task { await NetworkSession(network).outcome(of: Ask(method: .put)) }
        await until { isSent.isOpen }
        _ = await NetworkSession(network).outcome(of: Ask())
        gate.open()
        guard case .failure(.interceptor) = await late.value else { return XCTFail("no error") }
        XCTAssertEqual(refreshes.withLock { $0 }, 1)

        // A later call refreshes again, because the server may work again.
        _ = await NetworkSession(network).outcome(of: Ask())
        XCTAssertEqual(refreshes.withLock { $0 }, 2)
    }

    func testTheRefreshDoesNotPassThroughItself() async throws {
        let owner = Mutex<NetworkSession?>(nil)
        let tokens = TokenSource(store: MemoryCredentialStore(AccessToken("old"))) { _ in
            let configuration = owner.withLock { $0 }
            let text = try await configuration?.value(for: Ask<String>(path: "refresh", method: .post))
            return AccessToken(text ?? "")
        }
        let transport = CannedTransport { call throws(NetworkError) in
            if call.url.path() == "/refresh" {
                return NetworkResponse(statusCode: 200, body: Data("new".utf8), url: call.url)
            }
            return NetworkResponse(statusCode: call.headers["Authorization"] == "Bearer new" ? 200 : 401, url: call.url)
        }
        let network = NetworkSession(network(transport, tokens))
        owner.withLock { $0 = network }
        let status = await network.status()
        XCTAssertEqual(status, 200)
        XCTAssertEqual(transport.calls.map { $0.headers["Authorization"] }, ["Bearer old", nil, "Bearer new"])
    }

    func testACallLeftByARefreshIsSignedAfterIt() async throws {
        let owner = Mutex<NetworkSession?>(nil)
        let left = Mutex<Task<Int?, Never>?>(nil)
        let isOver = ResponseGate()
        let tokens = TokenSource { _ in
            let configuration = owner.withLock { $0 }
            let task = Task { () -> Int? in
                try? await isOver.wait()
                return await configuration?.status()
            }
            left.withLock { $0 = task }
            return AccessToken("new")
        }
        let transport = CannedTransport()
        let network = NetworkSession(network(transport, tokens))
        owner.withLock { $0 = network }
        _ = await network.status()
        isOver.open()
        _ = await left.withLock { $0 }?.value
        XCTAssertEqual(transport.calls.map { $0.headers["Authorization"] }, ["Bearer new", "Bearer new"])
    }

    func testACallerWhoLeavesWhileJoinedLeavesTheOthersAlone() async throws {
        let (isAsked, gate) = (ResponseGate(), ResponseGate())
        let refreshes = Mutex(0)
        let store = MemoryCredentialStore(AccessToken("old"))
        let tokens = TokenSource(store: store) { _ in
            refreshes.withLock { $0 += 1 }
            isAsked.open()
            try await gate.wait()
            return AccessToken("new")
        }
        let network = NetworkSession(network(transport(untilCalls: 10), tokens))
        let calls = (0..<10).map { _ in Task { await network.outcome(of: Ask()) } }
        await until { isAsked.isOpen }
        for call in calls.prefix(9) { call.cancel() }
        for call in calls.prefix(9) {
            guard case .failure(.cancelled) = await call.value else { return XCTFail("not cancelled") }
        }
        gate.open()
        let last = try await calls[9].value.get()
        XCTAssertEqual(last.statusCode, 200)
        XCTAssertEqual(refreshes.withLock { $0 }, 1)
    }

    func testARefreshWithoutWaitingCallsIsSaved() async throws {
        let (isAsked, gate, isSaved) = (ResponseGate(), ResponseGate(), ResponseGate())
        let store = NotingStore(AccessToken("old"), isSaved)
        let tokens = TokenSource(store: store) { _ in
            isAsked.open()
            try await gate.wait()
            return AccessToken("new")
        }
        let network = NetworkSession(network(transport(untilCalls: 1), tokens))
        let call = Task { await network.outcome(of: Ask()) }
        await until { isAsked.isOpen }
        call.cancel()
        guard case .failure(.cancelled) = await call.value else { return XCTFail("not cancelled") }
        gate.open()
        await until { isSaved.isOpen }
        XCTAssertEqual(store.load(), AccessToken("new"))
    }
}
