import Foundation
import RecordKit
import RecordKitTesting
import Synchronization
import XCTest

final class TokenLifetimeTests: XCTestCase {
    func testATokenThatLivesShortlyIsNotRenewedForEachCall() async {
        let clock = ManualClock()
        let renewals = Mutex(0)
        let tokens = TokenSource(leeway: .seconds(60)) { _ in
            renewals.withLock { $0 += 1 }
            return Token("short", expiry: clock.date.addingTimeInterval(30))
        }
        let network = NetworkConfiguration(
            CannedTransport(), [Authorization(tokens, for: "https://store.example")], clock: clock)
        for expected in 1...3 {
            for _ in 0..<5 {
                let status = await network.status()
                XCTAssertEqual(status, 200)
            }
            XCTAssertEqual(renewals.withLock { $0 }, expected)
            clock.advance(by: .seconds(20))
        }
    }
}
