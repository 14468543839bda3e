import RecordKit
import RecordKitTesting
import TestSupport
import XCTest

final class RequestPathTests: TimedTestCase {
    private enum Side: String { case front, back = "back side" }

    private func target(_ path: RequestPath) throws -> String {
        try Ask<Data>(path: path).call(in: "https://store.example/v1").url.absoluteString
            .replacing("https://store.example", with: "")
    }

    private func failure(_ path: RequestPath) -> NetworkError.InvalidRequest? {
        XCTAssertThrowsError(try target(path), path.encoded)
        do {
            _ = try target(path)
        } catch {
            if case NetworkError.invalidRequest(let failure) = error { return failure }
        }
        return nil
    }

    func testPathsAreWritten() throws {
        let id = try XCTUnwrap(UUID(uuidString: "00000000-0000-0000-0000-00000000002A"))
        let table: [(RequestPath, String)] = [
            ("", "/v1"), ("records", "/v1/records"), ("/records", "/v1/records"), ("records/", "/v1/records/"),
            ("a//b", "/v1/a//b"), ("records/\("LP/42")", "/v1/records/LP%2F42"), ("\(7)/\(UInt8(8))", "/v1/7/8"),
            ("\(id)", "/v1/00000000-0000-0000-0000-00000000002A"), ("\(Side.back)", "/v1/back%20side"),
            ("r/\("a".dropFirst(0))", "/v1/r/a"), ("größe", "/v1/gr%C3%B6%C3%9Fe"), ("a b", "/v1/a%20b"),
            ("100%", "/v1/100%25"), ("a%2Fb", "/v1/a%2Fb"), ("a%zz", "/v1/a%25zz"),
            ("a;b=1,2:@!$&'()*+", "/v1/a;b=1,2:@!$&'()*+"),
            ("\("%2F")", "/v1/%252F"), ("...", "/v1/..."), ("\(".a")\("b.")", "/v1/.ab."), ("x\("..")", "/v1/x.."),
            (RequestPath(segments: ["a/b", "c?d"]), "/v1/a%2Fb/c%3Fd"),
        ]
        for (path, expected) in table { XCTAssertEqual(try target(path), expected) }
    }

    func testEveryByteOfAValueButTheUnreservedIsEncoded() throws {
        // RFC 3986 section 2.3.
        for byte in UInt8(1)..<128 {
            let text = String(UnicodeScalar(byte))
            let isUnreserved = text.range(of: "[A-Za-z0-9._~-]", options: .regularExpression) != nil
            let expected = isUnreserved ? text : String(format: "%%%02X", byte)
            XCTAssertEqual(try target("x\(text)x"), "/v1/x\(expected)x")
        }
        XCTAssertEqual(try target("\("日本")"), "/v1/%E6%97%A5%E6%9C%AC")
    }

    func testAPathThatLeadsElsewhereIsAnError() {
        let table: [RequestPath] = [
            "\("")", "records/\("")", "\("")/x", "..", "a/../b", "\("..")", "a/\(".")", "%2e%2E", "a/.%2e",
            "\(".")\(".")",
            "a?b", "a#b", "a/b?c=\("d")", RequestPath(segments: ["a", ".."]), RequestPath(segments: [""]),
        ]
        for path in table { XCTAssertEqual(failure(path)?.member, .path) }
    }

    func testAURLInALiteralIsAMistake() throws {
        XCTAssertEqual(failure("https://store.example/v1")?.reason.contains("`baseURL`"), true)
        // A URL after other segments is a part of the path, as in web archives.
        XCTAssertEqual(try target("web/2020/http://store.example"), "/v1/web/2020/http://store.example")
    }
}
