import Foundation
import RecordKit
import RecordKitTesting
import TestSupport

extension HostileBehavior {
    /// Heads that violate HTTP, and some that only seem to.
    static let heads: [HostileBehavior] = [
        .raw("nonsense", "nonsense\r\n\r\n", "bad response"), .raw("empty lines", "\r\n\r\n\r\n", "bad response"),
        .raw("another protocol", "SSH-2.0-OpenSSH_9.2\r\n", "bad response"),
        .raw("a stream of music", "ICY 200 OK\r\n\r\nno", "bad response"),
        .raw("a TLS alert", "\u{15}\u{3}\u{1}\0\u{2}\u{2}\u{16}", "bad response"), .raw("one byte", "H", "lost"),
        .head("a version from the future", "HTTP/9.9 200 OK", "Content-Length: 2", gives: "bad response"),
        .head("an old version", "HTTP/1.0 200 OK", gives: "200 no"),
        .head("a version that was not asked for", "HTTP/2 200 ", "Content-Length: 2", gives: "200 no"),
        .head("a status of two digits", "HTTP/1.1 99 ", "Content-Length: 2", gives: "bad response"),
        .head("a status of four digits", "HTTP/1.1 2000 ", "Content-Length: 2", gives: "bad response"),
        .head("a negative status", "HTTP/1.1 -1 ", "Content-Length: 2", gives: "bad response"),
        .head("status zero", "HTTP/1.1 000 ", "Content-Length: 2", gives: "bad response"),
        .head("a status in letters", "HTTP/1.1 abc ", "Content-Length: 2", gives: "bad response"),
        .head("a status of no class", "HTTP/1.1 999 ", "Content-Length: 2", gives: "refused 999 no"),
        // Not valid according to RFC 9112 section 4, but common.
        .head(
            "a status line without its last space", "HTTP/1.1 200", "Content-Length: 2", gives: "bad response",
            byCurl: "200 no"),
        .head("a header without a colon", "HTTP/1.1 200 ", "NoColon", "Content-Length: 2", gives: "bad response"),
        .head("a header without a name", "HTTP/1.1 200 ", ": x", "Content-Length: 2", gives: "bad response"),
        .head("a space in a name", "HTTP/1.1 200 ", "Bad Name: x", "Content-Length: 2", gives: "bad response"),
        .head("a header without a value", "HTTP/1.1 200 ", "X-Empty:", "Content-Length: 2", gives: "200 no"),
        // Valid according to RFC 9110 section 5.5, but URLSession on Linux does not accept it.
        .head(
            "a header without a space", "HTTP/1.1 200 ", "X:x", "Content-Length: 2", gives: "bad response",
            byCurl: "200 no"),
        .head("a bare CR in a value", "HTTP/1.1 200 ", "X: a\rb", "Content-Length: 2", gives: "bad response"),
        .head(
            "a field behind a bare CR", "HTTP/1.1 200 ", "X: a\rContent-Length: 1", "Content-Length: 2",
            gives: "bad response"),
        .head("a null in a value", "HTTP/1.1 200 ", "X: a\0b", "Content-Length: 2", gives: "bad response"),
        .head("a bare LF in a value", "HTTP/1.1 200 ", "X: a\nb", "Content-Length: 2", gives: "bad response"),
        .head("a folded header", "HTTP/1.1 200 ", "X: a", " b", "Content-Length: 2", gives: "200 no"),
        .head("a header in UTF-8", "HTTP/1.1 200 ", "X: ü", "Content-Length: 2", gives: "200 no"),
        HostileBehavior(name: "a header in Latin-1", expected: "bad response", byCurl: "200 no") { _ in
            [.send("HTTP/1.1 200 \r\nX: "), .send(.init([0xFC])), .send("\r\nContent-Length: 2\r\n\r\nno"), .close]
        },
        .head(
            "a header of 64 KB", "HTTP/1.1 200 ", "X: " + String(repeating: "x", count: 64_000), "Content-Length: 2",
            gives: "200 no"),
        .head(
            "a header of 400 KB", "HTTP/1.1 200 ", "X: " + String(repeating: "x", count: 400_000), "Content-Length: 2",
            gives: "bad response"),
        HostileBehavior(name: "a thousand headers", expected: "200 no") { _ in
            let lines = (0..<1000).map { "X-\($0): x\r\n" }.joined()
            return [.send("HTTP/1.1 200 \r\n\(lines)Content-Length: 2\r\n\r\nno"), .close]
        },
        HostileBehavior(name: "a head byte by byte", expected: "200 no") { _ in
            let bytes = "HTTP/1.1 200 \r\nContent-Length: 2\r\n\r\nno"
            return StubResponse(bytes.flatMap { [.delay(.milliseconds(1)), .send("\($0)")] })
        },
        .answer("an interim 103 first", .text("no").after(.head(103, headers: ["Link": "</a>"])), "200 no"),
        .answer(
            "an interim answer that announces too much",
            .text("no").after(.head(103, headers: ["Content-Length": "99999999999"])), "200 no"),
        .answer("an interim answer and a redirect to nowhere", .status(302).after(.head(103)), "refused 302 "),
        .answer(
            "twenty interim answers",
            (0..<20).reduce(StubResponse.text("no")) { response, _ in response.after(.head(102)) }, "200 no"),
        .head("a switch of protocols", "HTTP/1.1 101 ", "Upgrade: x", "Connection: upgrade", gives: "refused 101 no"),
        .head("a 304 that was not asked for", "HTTP/1.1 304 ", "Content-Length: 99999999999", gives: "refused 304 "),
        .head("a 204 that announces too much", "HTTP/1.1 204 ", "Content-Length: 99999999999", gives: "204 "),
        .head("a 204 with a body", "HTTP/1.1 204 ", "Content-Length: 2", gives: "204 "),
        .head("a 205 with a body", "HTTP/1.1 205 ", "Content-Length: 2", gives: "205 no"),
        .head(
            "a part that was not asked for", "HTTP/1.1 206 ", "Content-Range: bytes 5-6/9", "Content-Length: 2",
            gives: "206 no"),
        .answer(
            "a HEAD with a length", .status(200, headers: ["Content-Length": "99999999999"]), "200 ",
            request: Ask(method: .head)),
    ]
}
