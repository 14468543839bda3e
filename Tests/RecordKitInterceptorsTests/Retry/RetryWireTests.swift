import Foundation
import RecordKit
import RecordKitInterceptors
import RecordKitTesting
import TestSupport
import XCTest

final class RetryWireTests: TimedTestCase {
    func testACallGetsThroughAServerThatStumbles() async throws {
        let server = try LoopbackServer(responses: [
            .status(503, headers: ["Retry-After": "0"]), .text("abcdef").cut(after: 3), .reset, .text("done"),
        ])
        let retry = RetryInterceptor(attempts: 4, base: .zero, floor: .zero, idempotencyKey: RetryInterceptor.randomKey)
        let network = NetworkSession(NetworkConfiguration(server.url, interceptors: [retry]))

        let text = try await network.value(for: Ask<String>(method: .post, content: "one copy"))

        XCTAssertEqual(text, "done")
        XCTAssertEqual(server.requests.map(\.text), Array(repeating: "one copy", count: 4))
        let keys = Set(server.requests.map { $0.header("Idempotency-Key") })
        XCTAssertEqual(keys.count, 1)
        XCTAssertEqual(keys.first??.count, 32)
    }
}
