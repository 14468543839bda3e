import RecordKit
import RecordKitTesting
import TestSupport
import XCTest

final class MultipartBodyTests: TimedTestCase {
    /// Returns the body as a string, with `B` in place of its boundary.
    private func text(_ body: MultipartBody) async throws -> String {
        let encoded = try body.encoded(using: JSONEncoder())
        let type = try XCTUnwrap(encoded.contentType)
        XCTAssertTrue(type.hasPrefix("multipart/form-data; boundary="))
        let boundary = type.dropFirst("multipart/form-data; boundary=".count)
        // RFC 2046 section 5.1.1: a boundary has at most 70 characters of a small set.
        XCTAssertLessThanOrEqual(boundary.count, 70)
        XCTAssertNotNil(boundary.range(of: "^[A-Za-z0-9-]+$", options: .regularExpression))
        let data = try await encoded.data()
        XCTAssertEqual(encoded.length, data.count)
        return String(decoding: data, as: UTF8.self).replacing(boundary, with: "B")
    }

    func testTheFormOfTheParts() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("cover.jpg", Data("JPEG".utf8))
        let body = MultipartBody([
            .text("caption", "Fröhliche\nWeihnacht"),
            .data("raw", Data("xyz".utf8)),
            .data("json", Data("{}".utf8), fileName: "a.json", contentType: "application/json"),
            .file("cover", file, contentType: "image/jpeg"),
        ])

        let written = try await text(body)
        XCTAssertEqual(
            written,
            "--B\r\nContent-Disposition: form-data; name=\"caption\"\r\n\r\nFröhliche\nWeihnacht\r\n"
                + "--B\r\nContent-Disposition: form-data; name=\"raw\"\r\n"
                + "Content-Type: application/octet-stream\r\n\r\nxyz\r\n"
                + "--B\r\nContent-Disposition: form-data; name=\"json\"; filename=\"a.json\"\r\n"
                + "Content-Type: application/json\r\n\r\n{}\r\n"
                + "--B\r\nContent-Disposition: form-data; name=\"cover\"; filename=\"cover.jpg\"\r\n"
                + "Content-Type: image/jpeg\r\n\r\nJPEG\r\n--B--\r\n")
        assertEqual(try await text(MultipartBody([])), "--B--\r\n")
    }

    func testNamesAreEscapedAsBrowsersDo() async throws {
        // WHATWG HTML, multipart form data: only quotes and line breaks are escaped. Line breaks in a name become CR
        // LF.
        let table: [(name: String, fileName: String, written: String)] = [
            ("a\"b", "c\"d", #"name="a%22b"; filename="c%22d""#),
            ("a\nb", "c\nd", #"name="a%0D%0Ab"; filename="c%0Ad""#),
            ("a\rb", "c\rd", #"name="a%0D%0Ab"; filename="c%0Dd""#),
            ("a\r\nb", "c\r\nd", #"name="a%0D%0Ab"; filename="c%0D%0Ad""#),
            ("a\r\r\n\n", "", #"name="a%0D%0A%0D%0A%0D%0A"; filename="""#),
            ("é%22\\;", "日本.txt", #"name="é%22\;"; filename="日本.txt""#),
            ("x\r\nContent-Type: evil", "y", #"name="x%0D%0AContent-Type: evil"; filename="y""#),
        ]
        for row in table {
            let written = try await text(MultipartBody([.data(row.name, Data(), fileName: row.fileName)]))
            XCTAssertEqual(
                written,
                "--B\r\nContent-Disposition: form-data; \(row.written)\r\n"
                    + "Content-Type: application/octet-stream\r\n\r\n\r\n--B--\r\n")
        }
    }

    func testTheBoundaryIsNewEachTime() throws {
        let body = MultipartBody([.text("a", "b")])
        let types = try (0..<20).map { _ in try body.encoded(using: JSONEncoder()).contentType }
        XCTAssertEqual(Set(types).count, 20)
    }

    func testAContentTypeOfAPartCannotAddHeaders() {
        for type in ["text/plain\r\nX-Evil: 1", "plain", "", "text/plain; charset=\u{E9}", "text/plain\0"] {
            let ask = Ask<Data>(method: .post, content: MultipartBody([.data("a", Data(), contentType: type)]))
            XCTAssertThrowsError(try ask.call(in: "https://store.example")) { error in
                guard case NetworkError.invalidRequest(let failure) = error else { return XCTFail("\(error)") }
                XCTAssertEqual(failure.member, .body)
                XCTAssertTrue(failure.reason.contains("\"a\""), failure.reason)
            }
        }
    }

    #if !os(iOS) && !os(tvOS) && !os(watchOS) && !os(visionOS)
    func testPythonReadsItBack() async throws {
        struct Field: Decodable, Equatable {
            var name: String
            var filename: String?
            var type: String
            var content: Data
        }
        let folder = try TemporaryFolder()
        let noise = Data.noise(300_000)
        let file = try folder.file("noise.bin", noise)
        let nasty = Data("\r\n--\r\n--RecordKit-\r\n\r\n--".utf8)
        let body = MultipartBody([
            .text("caption", "Zwei\r\nZeilen – ü"),
            .file("one", file, fileName: "Übung \"1\".bin", contentType: "audio/flac"),
            .data("nasty", nasty, fileName: "x", contentType: "text/plain; charset=utf-8"),
            .file("two", file),
            .text("", ""),
        ])
        let server = try LoopbackServer(responses: [.status(200)])
        _ = try await NetworkSession(NetworkConfiguration(server.url)).value(
            for: Ask<Data>(method: .post, content: body))
        let request = try XCTUnwrap(server.requests.first)
        XCTAssertEqual(request.header("Content-Length"), "\(request.body.count)")
        XCTAssertNil(request.header("Transfer-Encoding"))

        let script = """
            import sys, json, base64, email, email.policy
            message = email.message_from_bytes(sys.stdin.buffer.read(), policy=email.policy.HTTP)
            print(json.dumps([{
                "name": part.get_param("name", header="content-disposition"), "filename": part.get_filename(),
                "type": part.get_content_type(), "content": base64.b64encode(part.get_payload(decode=True)).decode(),
            } for part in message.iter_parts()]))
            """
        let type = try XCTUnwrap(request.header("Content-Type"))
        let message = try folder.file("message", Data("Content-Type: \(type)\r\n\r\n".utf8) + request.body)
        let output = try shell("python3 -c \"$1\" < \"$2\"", script, message.path)
        XCTAssertEqual(
            try JSONDecoder().decode([Field].self, from: output),
            [
                Field(name: "caption", type: "text/plain", content: Data("Zwei\r\nZeilen – ü".utf8)),
                Field(name: "one", filename: "Übung %221%22.bin", type: "audio/flac", content: noise),
                Field(name: "nasty", filename: "x", type: "text/plain", content: nasty),
                Field(name: "two", filename: "noise.bin", type: "application/octet-stream", content: noise),
                Field(name: "", type: "text/plain", content: Data()),
            ])
    }
    #endif
}
