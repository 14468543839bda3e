import Foundation
import RecordKit
import RecordKitInterceptors
import RecordKitTesting
import Synchronization
import TestSupport
import XCTest

final class TokenLifetimeTests: TimedTestCase {
    func testATokenThatLivesShortlyIsNotRefreshedForEachCall() async {
        let clock = ManualClock()
        let refreshes = Mutex(0)
        let tokens = TokenSource(leeway: .seconds(60)) { _ in
            refreshes.withLock { $0 += 1 }
            return AccessToken("short", expiry: clock.date.addingTimeInterval(30))
        }
        let network = NetworkConfiguration(
            CannedTransport(), [AuthorizationInterceptor(tokens, for: "https://store.example")], clock: clock)
        for expected in 1...3 {
            for _ in 0..<5 {
                let status = await NetworkSession(network).status()
                XCTAssertEqual(status, 200)
            }
            XCTAssertEqual(refreshes.withLock { $0 }, expected)
            clock.advance(by: .seconds(20))
        }
    }

    func testATokenThatHasEndedWhenItComesIsUsedUntilItIsRefused() async {
        let clock = ManualClock()
        let refreshes = Mutex(0)
        let tokens = TokenSource { _ in
            let count = refreshes.withLock { refreshes in
                refreshes += 1
                return refreshes
            }
            return AccessToken("\(count)", expiry: clock.date.addingTimeInterval(-3_600))
        }
        let transport = CannedTransport { call throws(NetworkError) in
            let isAccepted = call.headers["Authorization"] == "Bearer 2"
            return NetworkResponse(statusCode: isAccepted ? 200 : 401, url: call.url)
        }
        let network = NetworkConfiguration(
            transport, [AuthorizationInterceptor(tokens, for: "https://store.example")], clock: clock)
        for _ in 0..<5 {
            let status = await NetworkSession(network).status()
            XCTAssertEqual(status, 200)
        }
        XCTAssertEqual(refreshes.withLock { $0 }, 2)
    }

    func testARefreshDoesWithoutAStoreThatFailsByNow() async {
        let clock = ManualClock()
        let store = BreakingStore(AccessToken("old", refresh: "r", expiry: clock.date.addingTimeInterval(100)))
        let tokens = TokenSource(store: store) { ended in
            XCTAssertEqual(ended?.refresh, "r")
            return AccessToken("new")
        }
        let network = NetworkConfiguration(
            CannedTransport(), [AuthorizationInterceptor(tokens, for: "https://store.example")], clock: clock)
        for _ in 0..<2 {
            let status = await NetworkSession(network).status()
            XCTAssertEqual(status, 200)
            clock.advance(by: .seconds(200))
        }
    }

    func testATokenThatCouldNotBeSavedIsNotLostToTheOneBeforeIt() async {
        let asked = Mutex<[String?]>([])
        let tokens = TokenSource(store: FullStore(token: AccessToken("1", refresh: "r1"))) { ended in
            let count = asked.withLock { asked in
                asked.append(ended?.refresh)
                return asked.count + 1
            }
            return AccessToken("\(count)", refresh: "r\(count)")
        }
        let accepted = Mutex("2")
        let transport = CannedTransport { call throws(NetworkError) in
            let isAccepted = call.headers["Authorization"] == "Bearer \(accepted.withLock { $0 })"
            return NetworkResponse(statusCode: isAccepted ? 200 : 401, url: call.url)
        }
        let network = NetworkConfiguration(
            transport, [AuthorizationInterceptor(tokens, for: "https://store.example")], clock: ManualClock())
        for token in ["2", "3", "4"] {
            accepted.withLock { $0 = token }
            let status = await NetworkSession(network).status()
            XCTAssertEqual(status, 200)
        }
        XCTAssertEqual(asked.withLock { $0 }, ["r1", "r2", "r3"])
    }

    func testARefreshThatGivesNoRefreshTokenKeepsTheOneThatThereIs() async {
        let store = MemoryCredentialStore(AccessToken("old", refresh: "r"))
        let tokens = TokenSource(store: store) { _ in AccessToken("new") }
        let transport = CannedTransport { call throws(NetworkError) in
            let isAccepted = call.headers["Authorization"] == "Bearer new"
            return NetworkResponse(statusCode: isAccepted ? 200 : 401, url: call.url)
        }
        let network = NetworkConfiguration(
            transport, [AuthorizationInterceptor(tokens, for: "https://store.example")], clock: ManualClock())
        let status = await NetworkSession(network).status()
        XCTAssertEqual(status, 200)
        XCTAssertEqual(store.load(), AccessToken("new", refresh: "r"))
    }
}
