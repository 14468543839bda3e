#if os(Linux)
import RecordKit
import RecordKitTesting
import TestSupport
import XCTest

/// Requests and responses for which URLSession on Linux ends the process before it calls its delegate. Each runs in a
/// process of its own. If one of these tests fails, the fault is fixed in the toolchain: remove its mention from the
/// guide.
final class AbortTests: TimedTestCase {
    private static let answers: [String: StubResponse] = [
        "trailers": [
            .head(200, headers: ["Transfer-Encoding": "chunked"]), .send("5\r\nhello\r\n0\r\nX-Sum: abc\r\n\r\n"),
            .close,
        ],
        "a close within the head": [.send("HTTP/1.1 200 \r\nContent-Le"), .close],
        "a host that is none": .redirect(to: "//a%20b/"),
        "an address of IPv6 without a scheme": .redirect(to: "//[::1]/"),
    ]

    func testTheProcessEnds() throws {
        if ChildProcess.task != nil { return }
        for name in Self.answers.keys {
            let child = try ChildProcess.run("RecordKitTests.AbortTests/testInTheChild", task: name)
            XCTAssertNotEqual(child.status, 0, name)
            XCTAssertTrue(child.output.contains("FoundationNetworking"), "\(name): \(child.output)")
            XCTAssertFalse(child.output.contains("the call ended"), "\(name) is survived now")
        }
    }

    func testLibcurlSurvivesThem() async throws {
        let expected = [
            "trailers": "200 hello", "a close within the head": "lost", "a host that is none": "redirect: badLocation",
            "an address of IPv6 without a scheme": "refused",
        ]
        for (name, answer) in Self.answers {
            let server = try LoopbackServer(responses: [answer])
            assertEqual(await HostileBehavior.Way.curl.outcome(NetworkConfiguration(server.url)), expected[name], name)
        }
    }

    func testInTheChild() async throws {
        guard let answer = ChildProcess.task.flatMap({ Self.answers[$0] }) else { return }
        let server = try LoopbackServer(responses: [answer])
        _ = await HostileBehavior.run(Ask(), NetworkConfiguration(server.url), .value)
        print("the call ended")
    }
}
#endif
