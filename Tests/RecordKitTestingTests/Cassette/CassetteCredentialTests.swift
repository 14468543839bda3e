import Foundation
import RecordKit
import RecordKitTesting
import XCTest

/// A server may say what it was sent.
final class CassetteCredentialTests: XCTestCase {
    private let key = "hunter2-hunter2"

    /// The file of one exchange, which replays.
    private func recorded(_ stub: StubServer, _ headers: HTTPHeaders) async throws -> String {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "one.har")
        var network = stub.configuration
        for mode in [Cassette.Mode.record(through: stub), .replay()] {
            network.transport = try Cassette(file, mode)
            _ = try await network.value(for: Ask<Data>(headers: headers))
        }
        return try folder.text(of: "one.har")
    }

    func testTheCallsOwnIsNotRecordedWhereverItComesBack() async throws {
        let answers: [StubAnswer] = [
            .text("you sent Bearer \(key)"), .json(#"{"m": "the key\n\#(key)x", "next": "/x/\#(key)"}"#),
            .status(200, headers: ["X-Echo": "Bearer \(key)"]),
            .status(302, headers: ["Location": "/welcome/\(key)"]),
        ]
        for answer in answers {
            let stub = StubServer()
            stub.answer("/ask", with: answer)
            stub.answer("/welcome/*", with: .text("welcome"))
            let text = try await recorded(stub, ["Authorization": "Bearer \(key)"])
            XCTAssertFalse(text.contains("hunter2"), text)
        }
    }

    func testItIsNotRecordedHoweverItsCharactersAreEscaped() async throws {
        let key = "hunter2+hunter2=="
        let answers: [StubAnswer] = [
            .json(#"{"you": "hunter2\u002Bhunter2\u003d\u003d"}"#),
            .json(#"{"you": "{\"a\":\"hunter2\\u002bhunter2==\"}"}"#),
            .status(200, headers: ["X-Next": "/a?of=hunter2%2bhunter2%3d%3d"]), .text("hunter2&#x2B;hunter2&#61;="),
        ]
        for answer in answers {
            let stub = StubServer()
            stub.answer("/ask", with: answer)
            let text = try await recorded(stub, ["X-Api-Key": key])
            XCTAssertFalse(text.contains("hunter2"), text)
            XCTAssertTrue(text.contains("redacted"), text)
        }
    }

    func testItIsNotRecordedInATextOfAnotherCharsetNorBesideAPicture() async throws {
        let parts = [
            "--x", "Content-Disposition: form-data; name=\"a\"", "", "\(key) https://me:\(key)@a.test", "--x",
            "Content-Type: image/png", "", "\u{FF}\u{D8}", "--x--",
        ]
        let types = [
            ("text/html; charset=iso-8859-1", "<p>\u{FC} \(key) <a href='https://a.test/?access_token=\(key)'>"),
            ("application/json; charset=iso-8859-1", "{\"\u{FC}\": [\"\(key)\", \"https://me:\(key)@a.test/\"]}"),
            ("multipart/mixed; boundary=x", parts.joined(separator: "\r\n")),
        ]
        for (type, text) in types {
            let body = try XCTUnwrap(text.data(using: .isoLatin1))
            let stub = StubServer()
            stub.answer("/ask", with: .data(body, contentType: type))
            let file = try await recorded(stub, ["Authorization": "Bearer \(key)"])
            let recorded = try XCTUnwrap(file.firstMatch(of: /"text" : "([^"]+)"/)?.1)
            let bytes = try XCTUnwrap(Data(base64Encoded: String(recorded)), file)
            let expected = text.replacing("me:", with: "").replacing("\(key)", with: "redacted")
            XCTAssertEqual(bytes, expected.data(using: .isoLatin1), String(decoding: bytes, as: UTF8.self))
        }
    }

    func testAShortOneIsNotRecordedBehindAnEscapedBlank() async throws {
        for blank in [#"\n"#, #"\t"#, #"\u0020"#, "%20", "%0a"] {
            let stub = StubServer()
            stub.answer("/ask", with: .json(#"{"said": "no\#(blank)hunter2", "of": "\#(blank)xhunter2"}"#))
            let text = try await recorded(stub, ["X-Api-Key": "hunter2"])
            let body = #"{"said": "no\#(blank)redacted", "of": "\#(blank)xhunter2"}"#
            XCTAssertTrue(text.contains(body.replacing(#"\"#, with: #"\\"#).replacing("\"", with: #"\""#)), text)
        }
    }

    func testWhatOnlyLooksLikeItStaysAndANumberBecomesOne() async throws {
        let stub = StubServer()
        stub.answer("/ask", with: .json(#"{"a": "records7", "b": "records", "id": 1000001, "price": 100000}"#))
        let text = try await recorded(stub, ["X-Api-Key": "100000", "Authorization": "Bearer records"])
        let body = #"{\"a\": \"records7\", \"b\": \"redacted\", \"id\": 1000001, \"price\": 0}"#
        XCTAssertTrue(text.contains(body), text)
    }
}
