import RecordKit
import RecordKitTesting
import TestSupport
import XCTest

/// No sensitive value is written to disk, and the recording can be replayed.
final class CassetteSecretTests: TimedTestCase {
    private let secret = "hunter2-hunter2"

    /// Records an exchange, returns the content of the file, and replays it with another secret.
    private func recorded(_ ask: Ask<Data>, _ answer: StubResponse, replay: Ask<Data>? = nil) async throws -> String {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "one.har")
        let stub = StubServer()
        stub.respond(to: "/**", with: answer)
        var network = stub.configuration
        network.sensitiveNames = ["pin", "door_type"]
        network.transport = try Cassette(file, .record(through: stub), sensitiveNames: ["Till-Key"])
        let live = try await NetworkSession(network).value(for: ask)
        network.transport = try Cassette(file, .replay, sensitiveNames: ["Till-Key"])
        let again = try await NetworkSession(network).value(for: replay ?? ask)
        XCTAssertEqual(live.isEmpty, again.isEmpty)
        let text = try folder.text(of: "one.har")
        XCTAssertFalse(text.contains(secret), text)
        XCTAssertFalse(text.contains("hunter2"), text)
        return text
    }

    func testHeaders() async throws {
        let ask = Ask<Data>(
            headers: [
                "Authorization": "Bearer \(secret)", "Cookie": "a=\(secret)", "X-Api-Key": secret, "Till-Key": secret,
                "Pin": secret, "Referer": "https://a.test/?access_token=\(secret)&b=1",
            ])
        let text = try await recorded(
            ask,
            .status(
                200,
                headers: [
                    "Set-Cookie": secret, "till-key": secret, "Location": "/next?pin=\(secret)",
                    "Content-Location": "https://user:\(secret)@b.test/x#id_token=\(secret)",
                ]))
        XCTAssertTrue(text.contains("https://a.test/?access_token=redacted&b=1"), text)
        XCTAssertTrue(text.contains("https://redacted@b.test/x#id_token=redacted"), text)
    }

    func testQueries() async throws {
        let text = try await recorded(
            Ask(query: ["pin": secret, "access_token": secret, "page": 2]), .text("x"),
            replay: Ask(query: ["pin": "1", "access_token": "2", "page": 2]))
        XCTAssertTrue(text.contains("https://stub.test/ask?pin=redacted&access_token=redacted&page=2"), text)
    }

    func testJSON() async throws {
        let answer = """
            {"access_token": "\(secret)", "refresh_token": {"v": "\(secret)"}, "client_secret": 123456789, "id": 7, \
            "pin": "\(secret)", "Till-Key": ["\(secret)"], "door_type": "\(secret)", "time_signature": "4/4"}
            """
        let text = try await recorded(
            Ask(method: .post, content: ["user": "a", "password": secret]), .json(answer),
            replay: Ask(method: .post, content: ["user": "a", "password": "other"]))
        XCTAssertFalse(text.contains("123456789"), text)
        let archive = try JSONSerialization.jsonObject(with: Data(text.utf8))
        XCTAssertTrue("\(archive)".contains("redacted"))
        XCTAssertTrue(text.contains(#"\"client_secret\": 0, \"id\": 7"#), text)
        XCTAssertTrue(text.contains(#"\"refresh_token\": {}, "#), text)
        XCTAssertTrue(text.contains(#"\"Till-Key\": [], \"door_type\": \"redacted\", \"time_signature\": "#), text)
    }

    func testMembersThatTellSomethingOfATokenStay() async throws {
        let said = #""token_type": "Bearer", "expires_in": 3600, "token_endpoint": "https://a.test/token""#
        let text = try await recorded(Ask(), .json("{\"access_token\": \"\(secret)\", \(said)}"))
        let expected = "{\"access_token\": \"redacted\", \(said)}"
        XCTAssertTrue(text.contains(expected.replacing("\"", with: "\\\"")), text)
    }

    /// Token endpoints respond under any type.
    func testJSONAndFormsUnderOtherTypes() async throws {
        let json = "\n{\"access_token\": \"\(secret)\", \"pin\": 123456789, \"scope\": \"a\"}"
        let form = "access_token=\(secret)&scope=a"
        let types = [
            "text/plain", "text/html; charset=utf-8", "application/octet-stream", "application/json", "text/javascript",
            "application/x-www-form-urlencoded", "application/xml", "wrong", "",
        ]
        for type in types {
            for body in [json, form, form + "\r\n"] {
                let response = StubResponse.status(200, headers: ["Content-Type": type], body: Data(body.utf8))
                let text = try await recorded(Ask(method: .post, content: form), response)
                XCTAssertFalse(text.contains("123456789"), text)
                let isJSON = body == json
                XCTAssertTrue(
                    text.contains(isJSON ? #"redacted\", \"pin\": 0, "# : "access_token=redacted&scope=a"), text)
            }
        }
    }

    func testAnyOtherBodyIsRecordedAsItIs() async throws {
        let sent = "token: 1 https://a.test/?token=2"
        let page = "<a href='/x?token=3'>"
        let folder = try TemporaryFolder()
        let stub = StubServer()
        stub.respond(to: "/**", with: .data(Data(page.utf8), contentType: "text/html"))
        var network = stub.configuration
        network.transport = try Cassette(folder.url.appending(path: "one.har"), .record(through: stub))
        _ = try await NetworkSession(network).value(for: Ask<Data>(method: .post, content: sent))
        let text = try folder.text(of: "one.har").replacing("\\/", with: "/")
        for body in [sent, page] { XCTAssertTrue(text.contains(body), text) }
    }

    func testForms() async throws {
        let text = try await recorded(
            Ask(method: .post, content: FormBody(["grant_type": "password", "client_secret": secret, "pin": secret])),
            .data(Data("access_token=\(secret)&scope=a".utf8), contentType: "application/x-www-form-urlencoded"),
            replay: Ask(method: .post, content: FormBody(["grant_type": "password", "client_secret": "1", "pin": "2"])))
        XCTAssertTrue(text.contains("grant_type=password&client_secret=redacted&pin=redacted"), text)
        XCTAssertTrue(text.contains("access_token=redacted&scope=a"), text)
    }

    func testMultipartBodies() async throws {
        func body(_ secret: String) -> MultipartBody {
            MultipartBody([
                .text("caption", "Front"), .text("password", secret), .data("pin", Data(secret.utf8), fileName: "a"),
                .text("last", "Back"),
            ])
        }
        let answer = "--x\r\nContent-Disposition: form-data; name=access_token\r\n\r\n\(secret)\r\n--x--\r\n"
        let text = try await recorded(
            Ask(method: .post, content: body(secret)),
            .data(Data(answer.utf8), contentType: "multipart/form-data; boundary=x"),
            replay: Ask(method: .post, content: body("another")))
        for part in ["name=\\\"caption\\\"", "Front", "Back", "\\r\\n\\r\\nredacted\\r\\n--"] {
            XCTAssertTrue(text.contains(part), "\(part): \(text)")
        }
        XCTAssertEqual(text.components(separatedBy: "\\r\\n\\r\\nredacted\\r\\n--").count, 4, text)
    }

    func testARedirectThatWasRefused() async throws {
        let folder = try TemporaryFolder()
        let server = try LoopbackServer(responses: [.redirect(to: "http://other.test/?till-key=hunter2&page=2")])
        let cassette = try Cassette(
            folder.url.appending(path: "one.har"), .record(through: URLSessionTransport()), sensitiveNames: ["Till-Key"]
        )
        var network = NetworkConfiguration(
            environment: NetworkEnvironment(server.url.absoluteString), transport: cassette)
        network.options.redirects = .sameOrigin()
        let answer = try? await NetworkSession(network).value(for: Ask<Data>())
        XCTAssertNil(answer)
        let text = try folder.text(of: "one.har")
        XCTAssertTrue(text.contains("http://other.test/?till-key=redacted&page=2"), text)
        XCTAssertFalse(text.contains("hunter2"), text)
    }

    func testARedirectedAddress() async throws {
        let folder = try TemporaryFolder()
        let server = try LoopbackServer { request in
            request.path == "/ask" ? .redirect(to: "/there?access_token=hunter2") : .text("x")
        }
        let cassette = try Cassette(folder.url.appending(path: "one.har"), .record(through: URLSessionTransport()))
        let network = NetworkSession(
            NetworkConfiguration(environment: NetworkEnvironment(server.url.absoluteString), transport: cassette))
        _ = try await network.value(for: Ask<Data>())
        let text = try folder.text(of: "one.har")
        XCTAssertTrue(text.contains("/there?access_token=redacted"), text)
        XCTAssertFalse(text.contains("hunter2"), text)
    }
}
