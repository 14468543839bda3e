import RecordKit
import RecordKitTesting
import TestSupport
import XCTest

final class RequestValidationTests: TimedTestCase {
    private func failure(_ ask: Ask<Data>) -> NetworkError.InvalidRequest? {
        do {
            _ = try ask.call(in: "https://store.example")
        } catch {
            if case .invalidRequest(let failure) = error { return failure }
        }
        return nil
    }

    private struct Typed: NetworkEncodable {
        let contentType: String

        func encoded(using encoder: any NetworkEncoder) -> EncodedBody { EncodedBody(Data(), contentType: contentType) }
    }

    func testEachMemberThatIsWrongIsNamed() {
        // RFC 9110: methods 9.1, field names 5.1, field values 5.5, bodies 9.3.
        let methods = ["", "GE T", "GET\r\n", "G\u{0}", "GÉT", "GET/", "{}", "\u{7F}"]
        for method in methods { XCTAssertEqual(failure(Ask(method: HTTPMethod(rawValue: method)))?.member, .method) }
        let headers: [HTTPHeaders] = [
            ["": "x"], ["A B": "x"], ["A:": "x"], ["Ä": "x"], ["A\r\n": "x"], ["A\u{0}": "x"], ["(": "x"],
            ["A": "x\r\nB: y"], ["A": "x\ny"], ["A": "x\ry"], ["A": "\u{0}"], ["A": "\u{1B}[31m"], ["A": "\u{7F}"],
            ["Host": "evil.example"], ["content-length": "0"], ["Transfer-Encoding": "chunked"],
            ["CONNECTION": "close"],
        ]
        for header in headers { XCTAssertEqual(failure(Ask(headers: header))?.member, .headers, "\(header)") }
        for method in [HTTPMethod.get, .head, "get", "Head"] {
            XCTAssertEqual(failure(Ask(method: method, content: "x"))?.member, .body)
        }
        for type in ["text/plain\r\nX: 1", "text/plain\u{0}"] {
            XCTAssertEqual(failure(Ask(method: .put, content: Typed(contentType: type)))?.member, .body)
        }
    }

    func testNothingSecretIsQuotedAndEachReasonIsOneLine() {
        let asks: [Ask<Data>] = [
            Ask(path: RequestPath(stringLiteral: "a?token=s3cret")), Ask(path: RequestPath(stringLiteral: "a#s3cret")),
            Ask(headers: ["Authorization: Bearer s3cret": ""]), Ask(headers: ["X-Till\r\n": "s3cret"]),
            Ask(method: "G\r\nT"), Ask(baseURL: "a\r\nb"), Ask(options: RequestOptions(expectedType: "a/b\r\nX: y")),
        ]
        for text in asks.map({ failure($0)?.description ?? "no failure" }) {
            XCTAssertTrue(text.contains("could not be built"), text)
            XCTAssertFalse(text.contains("s3cret"), text)
            XCTAssertFalse(text.unicodeScalars.contains { $0.value < 32 }, text)
        }
    }

    func testUnusualRequestsAreValid() throws {
        let methods = ["PURGE", "M-SEARCH", "!#$%&'*+-.^_`|~", "get"]
        for method in methods { XCTAssertNil(failure(Ask(method: HTTPMethod(rawValue: method))), method) }
        let headers: HTTPHeaders = [
            "X-Ünit".replacing("Ü", with: "U"): "tab\there", "A!#$": "", "B": "é日本", "B2": " x ",
        ]
        XCTAssertNil(failure(Ask(headers: headers)))
        XCTAssertNil(failure(Ask(options: RequestOptions(sizeLimit: 0))))
        for method in [HTTPMethod.delete, "OPTIONS", "QUERY", .patch] {
            XCTAssertNil(failure(Ask(method: method, content: "x")), "\(method)")
        }
    }

    func testEveryCharacterOfAMethod() {
        // RFC 9110 section 5.6.2.
        let marks = "!#$%&'*+-.^_`|~"
        for byte in UInt8(0)..<128 {
            let character = Character(UnicodeScalar(byte))
            let isToken = character.isLetter || character.isNumber || marks.contains(character)
            XCTAssertEqual(failure(Ask(method: HTTPMethod(rawValue: "A\(character)"))) == nil, isToken, "\(byte)")
        }
    }

    func testTheErrorNamesTheRequestAndItsMemberAndNoArgument() throws {
        XCTAssertThrowsError(try Shop.One.broken.call(in: "https://store.example")) { error in
            XCTAssertTrue("\(error)".hasPrefix("Shop.One.broken could not be built: path: "), "\(error)")
        }
        XCTAssertThrowsError(try Shop.One.fetch(sku: "..").call(in: "https://store.example")) { error in
            XCTAssertTrue("\(error)".hasPrefix("Shop.One.fetch could not be built: path: "), "\(error)")
        }
    }

    func testHeadersAndMethodOnTheWire() async throws {
        let server = try LoopbackServer(responses: [.status(200)])
        var ask = Ask<Data>(method: "PURGE", headers: ["X-A": "1", "X-B": "two words", "X-C": "", "X-D": " \t"])
        ask.headers.add("X-A", "2")
        _ = try await NetworkSession(NetworkConfiguration(server.url)).value(for: ask)

        let request = try XCTUnwrap(server.requests.first)
        XCTAssertEqual(request.method, "PURGE")
        XCTAssertEqual(request.headers("X-A"), ["1, 2"])
        XCTAssertEqual(request.headers("X-B"), ["two words"])
        for name in ["X-C", "X-D"] { XCTAssertEqual(request.headers(name), [""], name) }
        XCTAssertEqual(request.headers("Host"), ["127.0.0.1:\(server.port)"])
        XCTAssertEqual(request.headers("Accept"), ["*/*"])
        XCTAssertEqual(request.headers("Content-Type"), [])
    }

    private func encoded(_ text: String) -> String {
        text.utf8.map { byte in
            let isUnreserved =
                Character(UnicodeScalar(byte)).isLetter && byte < 128 || "0123456789-._~".utf8.contains(byte)
            return isUnreserved ? String(UnicodeScalar(byte)) : String(format: "%%%02X", byte)
        }.joined()
    }

    /// Strings that Foundation's setters trap on, repair or misread, in every member at once. None traps, and an
    /// accepted request is sent as it was given.
    func testNoTextTraps() {
        let pieces = [
            "", " ", "/", "//", "?", "#", "%", "%zz", "%2F", "..", ".", "@", ":", "[", "]", "::1", "\0", "\r\n",
            "\u{1B}", "ü",
            "日本", "\u{202E}", "🎵", "a", "http://", "https://", "h", ":80", ":-1", "{", "}", "|", "\\", "^", "`", "<",
            "\"", "+",
            "&", "=", ";", "-", "\u{FEFF}", "\u{FFFF}", "xn--", "127.0.0.1", String(repeating: "x", count: 3000),
        ]
        func text() -> String { (0..<Int.random(in: 1...4)).compactMap { _ in pieces.randomElement() }.joined() }
        var accepted = 0
        for _ in 0..<5000 {
            let isPlain = Bool.random()
            let segment = text()
            let value = text()
            let ask = Ask<Data>(
                baseURL: Bool.random() ? "" : text(), path: "x/\(segment)/y",
                method: isPlain ? .post : HTTPMethod(rawValue: text()), query: [text(): value, "last": value],
                headers: isPlain ? [:] : HTTPHeaders([HTTPHeaders.Field(name: text(), value: text())]), content: text())
            let environment =
                isPlain
                ? "https://store.example"
                : NetworkEnvironment(scheme: text(), host: text(), port: Int.random(in: -9...70_000))
            guard let call = try? ask.call(in: environment) else { continue }
            accepted += 1
            let url = call.url.absoluteString
            XCTAssertNil(call.url.user())
            XCTAssertFalse(url.contains("#"))
            XCTAssertTrue(url.contains("/x/\(encoded(segment))/y?"), "\(url) holds no \(segment.debugDescription)")
            XCTAssertTrue(
                url.hasSuffix("&last=\(encoded(value))"), "\(url) does not end with \(value.debugDescription)")
            if ask.baseURL.isEmpty, isPlain { XCTAssertEqual(call.url.host(), "store.example") }
        }
        XCTAssertGreaterThan(accepted, 100)
    }
}
