import Foundation
import RecordKit
import RecordKitTesting
import TestSupport

extension HostileBehavior {
    private static let limited = Ask<NetworkResponse>(options: RequestOptions(sizeLimit: 1000))
    private static let nothing = Ask<NetworkResponse>(options: RequestOptions(sizeLimit: 0))
    private static let hasty = Ask<NetworkResponse>(options: RequestOptions(timeout: .milliseconds(300)))
    private static let bounded = Ask<NetworkResponse>(options: RequestOptions(deadline: .milliseconds(300)))
    private static let kilobyte = String(repeating: "x", count: 1000)

    /// Bodies that break off, contradict their length, never end or exceed the limit.
    static let bodies: [HostileBehavior] = [
        .answer("a close in place of an answer", .close, "lost"),
        .answer("a reset in place of an answer", .reset, "lost"),
        .answer("a body cut short", .text("abcdef").cut(after: 3), "lost"),
        .answer("a body reset", .text("abcdef").cut(after: 3, then: .reset), "lost"),
        .answer("no body at all", .text("abcdef").cut(after: 0), "lost"),
        .answer("chunks cut short", StubResponse([.chunk("abc"), .chunk("def")]).cut(after: 9), "lost"),
        .answer("chunks without the last", StubResponse([.chunk("abc")]).cut(after: 8), "lost"),
        .answer("chunks reset", StubResponse([.chunk("abc"), .chunk("def")]).cut(after: 9, then: .reset), "lost"),
        .head("a negative length", "HTTP/1.1 200 ", "Content-Length: -5", gives: "bad response"),
        .head("a length in letters", "HTTP/1.1 200 ", "Content-Length: abc", gives: "bad response"),
        .head(
            "a length past all numbers", "HTTP/1.1 200 ", "Content-Length: 99999999999999999999",
            gives: "bad response"),
        .head(
            "two lengths, the last too long", "HTTP/1.1 200 ", "Content-Length: 2", "Content-Length: 5",
            gives: "bad response", inOtherSession: "lost"),
        .head(
            "two lengths, the last too short", "HTTP/1.1 200 ", "Content-Length: 5", "Content-Length: 2",
            gives: "bad response"),
        .head("two lengths in a line", "HTTP/1.1 200 ", "Content-Length: 2, 60", gives: "bad response"),
        .head("the same length twice", "HTTP/1.1 200 ", "Content-Length: 2", "Content-Length: 2", gives: "200 no"),
        .head("the same length twice in a line", "HTTP/1.1 200 ", "Content-Length: 2, 2", gives: "200 no"),
        .head("a length with a plus sign", "HTTP/1.1 200 ", "Content-Length: +2", gives: "bad response"),
        .head("a length with a unit", "HTTP/1.1 200 ", "Content-Length: 2x", gives: "bad response"),
        .head("a length in hexadecimal", "HTTP/1.1 200 ", "Content-Length: 0x2", gives: "bad response"),
        .head("an empty length", "HTTP/1.1 200 ", "Content-Length:", gives: "bad response"),
        .head("a length too short", "HTTP/1.1 200 ", "Content-Length: 1", gives: "200 n"),
        .head("no length and a close", "HTTP/1.1 200 ", gives: "200 no"),
        .head("a chunk size in letters", "HTTP/1.1 200 ", "Transfer-Encoding: chunked", gives: "bad response"),
        .raw(
            "a chunk past its size", "HTTP/1.1 200 \r\nTransfer-Encoding: chunked\r\n\r\n2\r\nnoXX0\r\n\r\n",
            "bad response"),
        .raw(
            "a chunk past all numbers", "HTTP/1.1 200 \r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFFF\r\nno",
            "bad response"),
        .head("an unknown transfer coding", "HTTP/1.1 200 ", "Transfer-Encoding: unknown", gives: "bad response"),
        .head(
            "an unknown content coding", "HTTP/1.1 200 ", "Content-Encoding: unknown", "Content-Length: 2",
            gives: "bad response", byCurl: "200 no"),
        .head(
            "gzip that is none", "HTTP/1.1 200 ", "Content-Encoding: gzip", "Content-Length: 2", gives: "bad response"),
        .head(
            "Brotli that is none", "HTTP/1.1 200 ", "Content-Encoding: br", "Content-Length: 2", gives: "bad response",
            byCurl: "200 no"),
        .answer("an announced body past the limit", .text(kilobyte + "x"), "too large: 1000", request: limited),
        .answer("chunks past the limit", [.chunk(kilobyte), .chunk("x")], "too large: 1000", request: limited),
        .answer(
            "a body of just the limit", .status(200, body: Data(count: 1000)),
            "200 " + String(repeating: "\0", count: 60), request: limited),
        .answer("one byte where none may be", [.chunk("x")], "too large: 0", request: nothing),
        .answer("nothing where nothing may be", .status(200), "200 ", request: nothing),
        .answer("an error past the limit", .text(kilobyte + "x", status: 500), "too large: 1000", request: limited),
        .answer("silence", .never, "timed out: attempt", request: hasty),
        .answer(
            "silence after the head", .text("abc").cut(after: 0, then: .hold), "timed out: attempt", request: hasty),
        .answer("silence amid the body", .text("abc").cut(after: 1, then: .hold), "timed out: attempt", request: hasty),
        .answer(
            "silence amid the chunks", StubResponse([.chunk("abc")]).cut(after: 5, then: .hold), "timed out: attempt",
            request: hasty),
        .answer("a drip", .text(kilobyte).slow(every: .milliseconds(20)), "timed out: attempt", request: hasty),
        .answer(
            "a drip past the deadline", .text(kilobyte).slow(every: .milliseconds(20)), "timed out: deadline",
            request: bounded),
        .answer(
            "silence in the last chunk", StubResponse([.chunk("abc")]).cut(after: 9, then: .hold), "timed out: attempt",
            request: hasty),
    ]
}
