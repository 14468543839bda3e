import RecordKit
import RecordKitTesting
import TestSupport
import XCTest

/// Heads that are longer than libcurl sends. URLSession reports them as an invalid response.
final class LongHeadTests: TimedTestCase {
    private func failure(_ ask: Ask<String>, _ server: LoopbackServer) async -> NetworkError.InvalidRequest? {
        let network = NetworkSession(NetworkConfiguration(server.url))
        let error = await TestSupport.networkError { try await network.value(for: ask) }
        guard case .invalidRequest(let failure) = error else {
            XCTFail("\(String(describing: error).prefix(300))")
            return nil
        }
        return failure
    }

    func testTheLongPartIsNamed() async throws {
        let server = try LoopbackServer(responses: [])
        let long = String(repeating: "x", count: 1 << 20)
        let half = String(repeating: "x", count: 1 << 19)

        let path = await failure(Ask(path: "\(long)"), server)
        XCTAssertEqual(path?.member, .path)
        XCTAssertTrue(path?.reason.hasPrefix("the URL takes 1048") ?? false, path?.reason ?? "")
        XCTAssertTrue(path?.reason.hasSuffix("bytes; the URL and the header fields may take 1 MiB in all") ?? false)
        let query = await failure(Ask(query: ["q": long]), server)
        XCTAssertEqual(query?.member, .query)
        let headers = await failure(Ask(headers: ["X-Long": long]), server)
        XCTAssertEqual(headers?.member, .headers)
        XCTAssertTrue(headers?.reason.hasPrefix("the header fields take 1048") ?? false, headers?.reason ?? "")
        assertEqual(await failure(Ask(query: ["q": half], headers: ["X-A": half]), server)?.member, .headers)
        XCTAssertTrue(server.requests.isEmpty)
    }

    func testAHeadWithinTheLimitIsSent() async throws {
        let server = try LoopbackServer { request in
            .text("\(request.header("X-Long")?.utf8.count ?? 0) \(request.header("X-Blank") ?? "none")")
        }
        let length = 1 << 20 - 4_096
        let text = try await NetworkSession(NetworkConfiguration(server.url)).value(
            for: Ask<String>(headers: ["X-Long": String(repeating: "x", count: length), "X-Blank": " \t "]))
        XCTAssertEqual(text, "\(length) ", "a value of spaces is an empty value")
    }
}
