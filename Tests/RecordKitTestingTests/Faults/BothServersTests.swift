import RecordKit
import RecordKitTesting
import TestSupport
import XCTest

/// A response is sent by a stub in the process and over a socket.
final class BothServersTests: TimedTestCase {
    private func outcome(_ network: NetworkSession) async -> String {
        HostileBehavior.text(of: await network.result(for: Ask<NetworkResponse>()))
    }

    func testBothServersTakeTheSameResponses() async throws {
        let table: [(response: StubResponse, outcome: String)] = [
            (.text("abc"), "200 abc"), (.json("{}", status: 201), "201 {}"), (.status(204), "204 "),
            (.text("gone", status: 404), "refused 404 gone"), ([.chunk("a"), .chunk(""), .chunk("b")], "200 ab"),
            (StubResponse([.chunk("a"), .chunk("b")], status: 203), "203 ab"),
            (.text("abc").slow(bytes: 2, every: .zero), "200 abc"), (.text("abc").after(.delay(.zero)), "200 abc"),
            (.text("abcdef").cut(after: 3), "lost"), (.text("abcdef").cut(after: 3, then: .reset), "lost"),
            ([.chunk("a"), .reset], "lost"), ([.chunk("a"), .close], "lost"), (.close, "lost"),
            (.reset, "lost"), (.status(302), "refused 302 "),
        ]
        for (response, expected) in table {
            let stub = StubServer()
            stub.respond(to: "/**", with: response)
            assertEqual(await outcome(NetworkSession(stub.configuration)), expected, "\(response)")
            let server = try LoopbackServer(responses: [response])
            assertEqual(await outcome(NetworkSession(NetworkConfiguration(server.url))), expected, "\(response)")
        }
    }

    func testAStubRefusesWhatOnlyAConnectionCanDo() async throws {
        let table: [(StubResponse, onTheWire: String)] = [
            ([.head(200), .body("abc"), .close], "200 abc"), (.text("abc").after(.head(103)), "200 abc"),
            (.text("abc").then(.close), "200 abc"),
            (
                [
                    .head(200, headers: ["Transfer-Encoding": "chunked"]), .chunk("a"), .body("1\r\nb\r\n"), .lastChunk,
                ], "200 ab"
            ),
        ]
        for (response, expected) in table {
            let stub = StubServer()
            stub.respond(to: "/**", with: response)
            let error = await NetworkSession(stub.configuration).failure(of: Ask<NetworkResponse>())
            XCTAssertEqual(error?.cause as? StubError, .onlyOnTheWire, "\(response)")
            let server = try LoopbackServer(responses: [response])
            assertEqual(await outcome(NetworkSession(NetworkConfiguration(server.url))), expected)
        }
    }

    func testTheDateAndTheTrailersOverASocket() async throws {
        let response = StubResponse.text("abc").adding(trailers: ["X-Sum": "6"]).withDate(shiftedBy: .seconds(86_400))
        let server = try LoopbackServer(responses: [response])
        let client = try WireClient(server)
        client.send("GET / HTTP/1.1\r\nConnection: close\r\n\r\n")
        let wire = client.readToEnd().text
        XCTAssertTrue(wire.contains("\r\nTransfer-Encoding: chunked\r\n"), wire)
        XCTAssertTrue(wire.hasSuffix("3\r\nabc\r\n0\r\nX-Sum: 6\r\n\r\n"), wire)
        let field = try XCTUnwrap(wire.firstMatch(of: /\r\nDate: ([^\r]*)\r\n/)).1
        let date = try XCTUnwrap(HTTPDate(String(field))).date
        XCTAssertGreaterThan(date, Date(timeIntervalSinceNow: 86_000))
    }
}
