import Foundation
import RecordKit
import RecordKitTesting
import XCTest

/// What another process does to a store that both have.
final class OtherProcessTests: XCTestCase {
    private func network(_ transport: CannedTransport, _ tokens: TokenSource) -> NetworkConfiguration {
        NetworkConfiguration(transport, [Authorization(tokens, for: "https://store.example")], clock: ManualClock())
    }

    /// The refresh token was good once.
    func testWhoComesSecondWithARenewalTakesTheTokenOfTheFirst() async {
        let store = MemoryCredentialStore(Token("old", refresh: "once"))
        let tokens = TokenSource(store: store) { _ in
            store.save(Token("theirs", refresh: "next"))
            throw NetworkError.status(NetworkResponse(statusCode: 400, url: URL(filePath: "/")))
        }
        let transport = CannedTransport(accepting: "theirs")
        let network = network(transport, tokens)
        for _ in 0..<2 {
            let status = await network.status()
            XCTAssertEqual(status, 200)
        }
        XCTAssertEqual(
            transport.calls.map { $0.headers["Authorization"] }, ["Bearer old", "Bearer theirs", "Bearer theirs"])
        XCTAssertEqual(store.load(), Token("theirs", refresh: "next"))
    }

    func testASignOutElsewhereHoldsHereFromTheNext401() async {
        let store = MemoryCredentialStore(Token("old", refresh: "r"))
        let tokens = TokenSource(store: store) { _ in
            XCTFail("renewed")
            return Token("new")
        }
        let first = CannedTransport(accepting: "old")
        let status = await network(first, tokens).status()
        XCTAssertEqual(status, 200)
        store.save(nil)
        guard
            case .failure(.interceptor(let failure)) = await network(CannedTransport(accepting: "new"), tokens)
                .outcome(of: Ask())
        else { return XCTFail("signed in again") }
        XCTAssertEqual(failure.response?.statusCode, 401)
        XCTAssertEqual(failure.reason, "nobody is signed in any more")
        XCTAssertNil(store.load())
    }
}
