import Foundation
import RecordKit
import RecordKitInterceptors
import RecordKitTesting
import Synchronization
import TestSupport
import XCTest

final class TokenSourceTests: TimedTestCase {
    private let clock = ManualClock()

    private func network(_ transport: CannedTransport, _ tokens: TokenSource) -> NetworkConfiguration {
        NetworkConfiguration(transport, [AuthorizationInterceptor(tokens, for: "https://store.example")], clock: clock)
    }

    func testTheStoreIsAskedOnceAndItsTokenUsed() async {
        let store = CountingStore(AccessToken("kept"))
        let transport = CannedTransport(accepting: "kept")
        let network = network(transport, TokenSource(store: store) { _ in throw CancellationError() })
        for _ in 0..<3 {
            let status = await NetworkSession(network).status()
            XCTAssertEqual(status, 200)
        }
        XCTAssertEqual(store.loads, 1)
        XCTAssertEqual(transport.calls.count, 3)
    }

    func testAMissingTokenIsMadeAndKept() async throws {
        let store = CountingStore(nil)
        let network = network(
            CannedTransport(accepting: "new"),
            TokenSource(store: store) { ended in
                XCTAssertNil(ended)
                return AccessToken("new")
            })
        let status = await NetworkSession(network).status()
        XCTAssertEqual(status, 200)
        XCTAssertEqual(store.load(), AccessToken("new"))
    }

    func testASecond401IsTheResponse() async {
        let refreshes = Mutex(0)
        let transport = CannedTransport(status: 401)
        let network = network(
            transport,
            TokenSource(store: MemoryCredentialStore(AccessToken("old"))) { _ in
                refreshes.withLock { $0 += 1 }
                return AccessToken("other")
            })
        let status = await NetworkSession(network).status()
        XCTAssertEqual(status, 401)
        XCTAssertEqual(transport.calls.count, 2)
        XCTAssertEqual(refreshes.withLock { $0 }, 1)
    }

    func testA401ToACallThatBringsItsOwnRefreshesNothing() async {
        let transport = CannedTransport(status: 401)
        let tokens = TokenSource(store: MemoryCredentialStore(AccessToken("ours"))) { _ in
            XCTFail("refreshed")
            throw CancellationError()
        }
        let status = await NetworkSession(network(transport, tokens)).status(
            of: Ask(headers: ["Authorization": "Basic own"]))
        XCTAssertEqual(status, 401)
        XCTAssertEqual(transport.calls.map { $0.headers["Authorization"] }, ["Basic own"])
    }

    func testATokenIsRefreshedBeforeItEnds() async {
        let refreshes = Mutex(0)
        let start = clock.date
        let tokens = TokenSource(leeway: .seconds(60)) { [clock] _ in
            let count = refreshes.withLock { count in
                count += 1
                return count
            }
            return AccessToken("t\(count)", expiry: clock.date.addingTimeInterval(100))
        }
        XCTAssertEqual(start, clock.date)
        let transport = CannedTransport()
        let network = network(transport, tokens)
        _ = await NetworkSession(network).status()
        clock.advance(by: .seconds(39))
        _ = await NetworkSession(network).status()
        clock.advance(by: .seconds(2))
        _ = await NetworkSession(network).status()
        XCTAssertEqual(
            transport.calls.map { $0.headers["Authorization"] }, ["Bearer t1", "Bearer t1", "Bearer t2"])
    }

    func testATokenThatStillLastsIsUsedWhenItsEarlyRefreshFails() async {
        let refreshes = Mutex(0)
        let store = MemoryCredentialStore(AccessToken("old", expiry: clock.date.addingTimeInterval(30)))
        let tokens = TokenSource(store: store) { _ in
            refreshes.withLock { $0 += 1 }
            throw CocoaError(.fileNoSuchFile)
        }
        let network = network(CannedTransport(accepting: "old"), tokens)
        for _ in 0..<5 {
            let status = await NetworkSession(network).status()
            XCTAssertEqual(status, 200)
        }
        XCTAssertEqual(refreshes.withLock { $0 }, 1)
        clock.advance(by: .seconds(31))
        guard case .failure(.interceptor) = await NetworkSession(network).outcome(of: Ask()) else {
            return XCTFail("no error")
        }
        XCTAssertEqual(refreshes.withLock { $0 }, 2)
    }

    func testTheTokenThatAnotherProcessRefreshedIsTaken() async {
        let store = MemoryCredentialStore(AccessToken("old"))
        let network = network(
            CannedTransport(accepting: "theirs"), TokenSource(store: store) { _ in throw CocoaError(.fileNoSuchFile) })
        let first = await NetworkSession(network).outcome(of: Ask())
        guard case .failure(.interceptor(let failure)) = first else { return XCTFail("no error") }
        XCTAssertEqual(failure.response?.statusCode, 401)
        store.save(AccessToken("theirs"))
        let status = await NetworkSession(network).status()
        XCTAssertEqual(status, 200)
    }

    private struct Once: NetworkEncodable, Sendable {
        func encoded(using encoder: any NetworkEncoder) -> EncodedBody {
            EncodedBody(.data(Data("x".utf8)), canBeSentAgain: false)
        }
    }

    func testABodyThatCannotBeSentAgainLeavesTheRefreshToTheNextCall() async {
        let transport = CannedTransport(accepting: "new")
        let network = network(
            transport, TokenSource(store: MemoryCredentialStore(AccessToken("old"))) { _ in AccessToken("new") })
        let refused = await NetworkSession(network).status(of: Ask(method: .put, content: Once()))
        XCTAssertEqual(refused, 401)
        XCTAssertEqual(transport.calls.count, 1)
        let status = await NetworkSession(network).status()
        XCTAssertEqual(status, 200)
        XCTAssertEqual(transport.calls.map { $0.headers["Authorization"] }, ["Bearer old", "Bearer new"])
    }

    func testALate401FindsTheLaterTokenRefusedAndHasThatRefreshed() async throws {
        let (isSent, gate) = (ResponseGate(), ResponseGate())
        let tokens = TokenSource(store: MemoryCredentialStore(AccessToken("first"))) { _ in AccessToken("third") }
        let transport = CannedTransport(accepting: "third", holding: .delete, isSent, until: gate)
        let network = network(transport, tokens)
        let late = Task { await NetworkSession(network).status(of: Ask(method: .delete)) }
        await until { isSent.isOpen }
        try await tokens.signIn(AccessToken("second"))
        _ = await NetworkSession(network).status(of: Ask(method: .put, content: Once()))
        gate.open()
        let status = await late.value
        XCTAssertEqual(status, 200)
        XCTAssertEqual(
            transport.calls.map { $0.headers["Authorization"] }, ["Bearer first", "Bearer second", "Bearer third"])
    }
}
