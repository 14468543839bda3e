import Foundation
import RecordKit
import RecordKitCacheDisk
import RecordKitTesting
import TestSupport
import XCTest

/// Runs the snippets of `ThirdPartyExamples`.
final class ThirdPartyExampleTests: TimedTestCase {
    func testAResponseIsAskedForOnce() async throws {
        let folder = try TemporaryFolder()
        let stub = StubServer(environment: NetworkEnvironment("https://musicbrainz.org/ws/2"))
        stub.respond(
            to: "/ws/2/release/",
            with: .json(#"{"releases":[{"title":"Blue","date":"1971-06-22"},{"title":"Blue"}]}"#))
        for _ in 0..<2 {
            let paced = ThirdParty.PacedTransport(transport: stub, waitForTurn: {})
            let (session, store) = ThirdParty.session(folder.url, over: paced)
            let titles = await ThirdParty.titles(of: "0075992703826", at: session)
            XCTAssertEqual(titles, "Blue\nBlue")
            await store.flush()
        }
        XCTAssertEqual(stub.requests.count, 1)
        let request = try XCTUnwrap(stub.requests.first)
        XCTAssertEqual(request.headers["User-Agent"], "Shop/1.0 ( https://shop.example )")
        XCTAssertEqual(
            request.url.absoluteString,
            "https://musicbrainz.org/ws/2/release/?query=barcode%3A0075992703826&fmt=json")
    }

    func testABusyServer() async throws {
        let folder = try TemporaryFolder()
        let stub = StubServer(environment: NetworkEnvironment("https://musicbrainz.org/ws/2"))
        // Longer than the tool would wait.
        stub.respond(to: "/ws/2/release/", with: .status(503, headers: ["Retry-After": "60"]))
        let (session, _) = ThirdParty.session(folder.url, over: stub)
        let text = await ThirdParty.titles(of: "0075992703826", at: session)
        XCTAssertEqual(text, "Try again in 60 s.")
    }
}
