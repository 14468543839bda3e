import Foundation
import RecordKit
import RecordKitTesting
import XCTest

/// No secret reaches the disk, whatever it stands in; and what was recorded replays all the same.
final class CassetteSecretTests: XCTestCase {
    private let secret = "hunter2-hunter2"

    /// Records one exchange, and gives the file's text; then replays it with another secret.
    private func recorded(_ ask: Ask<Data>, _ answer: StubAnswer, replay: Ask<Data>? = nil) async throws -> String {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "one.har")
        let stub = StubServer()
        stub.answer("/**", with: answer)
        var network = stub.configuration
        network.secretNames = ["pin", "door_type"]
        network.transport = try Cassette(file, .record(through: stub), secretNames: ["Till-Key"])
        let live = try await network.value(for: ask)
        network.transport = try Cassette(file, .replay(), secretNames: ["Till-Key"])
        let again = try await network.value(for: replay ?? ask)
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

    func testATextWhoseLettersAreNoBytes() async throws {
        let body = try XCTUnwrap(#"{"password": "\#(secret)"}"#.data(using: .utf16LittleEndian))
        let text = try await recorded(Ask(), .data(body, contentType: "application/json; charset=utf-16le"))
        XCTAssertFalse(text.contains("u\\u0000n"), text)
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
            "pin": "\(secret)", "next": "https://a.test/?a=1\\u0026access_token=\(secret)", "Till-Key": ["\(secret)"], \
            "home": "https:\\/\\/me:\(secret)@a.test\\/", "door_type": "\(secret)"}
            """
        let text = try await recorded(
            Ask(method: .post, content: ["user": "a", "password": secret]), .json(answer),
            replay: Ask(method: .post, content: ["user": "a", "password": "other"]))
        XCTAssertFalse(text.contains("123456789"), text)
        let archive = try JSONSerialization.jsonObject(with: Data(text.utf8))
        XCTAssertTrue("\(archive)".contains("redacted"))
        XCTAssertTrue(text.contains(#"\"client_secret\": 0, \"id\": 7"#), text)
        XCTAssertTrue(text.contains(#"\"refresh_token\": {}, "#), text)
    }

    func testWhatIsNoTextIsReplacedByItsKind() async throws {
        struct Usage: Codable, NetworkEncodable {
            var tokensLeft: Int
            var tokensByDay: [Double]
            var tokensByModel: [String: Int]
        }
        let usage = Usage(tokensLeft: 7123, tokensByDay: [7123], tokensByModel: ["a": 7123])
        for type in ["application/json", "text/event-stream", "application/x-ndjson", nil] {
            let folder = try TemporaryFolder()
            let file = folder.url.appending(path: "one.har")
            let stub = StubServer()
            let headers: HTTPHeaders = type.map { ["Content-Type": $0] } ?? [:]
            stub.answer("/**", with: .status(200, headers: headers, body: try JSONEncoder().encode(usage)))
            _ = try await stub.configuration.replacingTransport(try Cassette(file, .record(through: stub)))
                .value(for: Ask<NetworkResponse>())
            let replayed = try await stub.configuration.replacingTransport(try Cassette(file, .replay()))
                .value(for: Ask<NetworkResponse>())
            let read = try replayed.value(as: Usage.self)
            XCTAssertEqual(read.tokensLeft, 0)
            XCTAssertEqual(read.tokensByDay, [])
            XCTAssertEqual(read.tokensByModel, [:])
            XCTAssertFalse(try folder.text(of: "one.har").contains("7123"))
        }
    }

    func testWhatIsSaidOfASecretIsNone() async throws {
        let said = """
            "token_type": "Bearer", "expires_in": 3600, "refresh_token_expires_in": 7200, "tokenExpiresAt": "2001-09-09", \
            "token_endpoint": "https://a.test/token", "token_endpoint_auth_methods_supported": ["none"]
            """
        let text = try await recorded(
            Ask(method: .post, content: FormBody(["subject_token": secret, "subject_token_type": "jwt"])),
            .json("{\"access_token\": \"\(secret)\", \(said)}"),
            replay: Ask(method: .post, content: FormBody(["subject_token": "other", "subject_token_type": "jwt"])))
        XCTAssertTrue(text.replacing("\\", with: "").contains("\"access_token\": \"redacted\", \(said)}"), text)
        let nested = try await recorded(Ask(), .json("{\"credential_type\": {\"password\": \"\(secret)\"}}"))
        XCTAssertTrue(nested.contains("credential_type"), nested)
    }

    func testForms() async throws {
        let text = try await recorded(
            Ask(method: .post, content: FormBody(["grant_type": "password", "client_secret": secret, "pin": secret])),
            .data(Data("access_token=\(secret)&scope=a".utf8), contentType: "application/x-www-form-urlencoded"),
            replay: Ask(
                method: .post, content: FormBody(["grant_type": "password", "client_secret": "1", "pin": "2"])))
        XCTAssertTrue(text.contains("grant_type=password&client_secret=redacted&pin=redacted"), text)
        XCTAssertTrue(text.contains("access_token=redacted&scope=a"), text)
    }

    func testTextAndPages() async throws {
        let text = try await recorded(
            Ask(method: .post, content: "user: a\npassword: \(secret)\n"),
            .data(Data("<a href=\"/x?token=\(secret)\">".utf8), contentType: "text/html"),
            replay: Ask(method: .post, content: "user: a\npassword: other\n"))
        XCTAssertTrue(text.contains(#"user: a\npassword: redacted\n"#), text)
        let untyped = try await recorded(Ask(), .status(200, body: Data(#"{"password": "\#(secret)"}"#.utf8)))
        XCTAssertTrue(untyped.contains(#"{\"password\": \"redacted\"}"#), untyped)
    }

    func testPropertyLists() async throws {
        let list = { (secret: String) in
            "<plist><dict><key>user</key><string>a</string><key> Password</key>\n<string>\(secret)</string>"
                + "<key>b</key><password>\(secret)</password></dict></plist>"
        }
        let text = try await recorded(
            Ask(method: .post, headers: ["Content-Type": "application/xml"], content: list(secret)),
            .data(Data(list(secret).utf8), contentType: "application/xml"),
            replay: Ask(method: .post, headers: ["Content-Type": "application/xml"], content: list("other")))
        XCTAssertTrue(text.contains(#"<string>a</string><key> Password</key>\n<string>redacted</string>"#), text)
    }

    func testMultipartThatOthersWrite() async throws {
        let parts = [
            "--x", #"Content-Disposition: form-data; name="password""#, "", secret, "--x",
            "Content-Disposition: form-data;", "\t name=\"password\"", "", secret, "--x",
            "Content-Type: application/http", "", "GET /a HTTP/1.1", "Authorization: Bearer \(secret)", "", "--x--",
        ]
        for (end, line) in [("\n", #"\n"#), ("\r\n", #"\r\n"#)] {
            let body = Data(parts.joined(separator: end).utf8)
            let text = try await recorded(Ask(), .data(body, contentType: "multipart/mixed; boundary=x"))
            XCTAssertTrue(text.contains("GET /a HTTP/1.1"), text)
            XCTAssertTrue(text.contains("\(line)\(line)redacted\(line)--x\(line)"), text)
        }
    }

    func testARedirectThatWasRefused() async throws {
        let folder = try TemporaryFolder()
        let server = try LoopbackServer(answers: [.redirect(to: "http://other.test/?till-key=hunter2&page=2")])
        let cassette = try Cassette(
            folder.url.appending(path: "one.har"), .record(through: URLSessionTransport()), secretNames: ["Till-Key"])
        var network = NetworkConfiguration(
            environment: NetworkEnvironment(server.url.absoluteString), transport: cassette)
        network.options.redirects = .sameOrigin
        let answer = try? await network.value(for: Ask<Data>())
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
        let cassette = try Cassette(
            folder.url.appending(path: "one.har"), .record(through: URLSessionTransport()))
        let network = NetworkConfiguration(
            environment: NetworkEnvironment(server.url.absoluteString), transport: cassette)
        _ = try await network.value(for: Ask<Data>())
        let text = try folder.text(of: "one.har")
        XCTAssertTrue(text.contains("/there?access_token=redacted"), text)
        XCTAssertFalse(text.contains("hunter2"), text)
    }
}

extension NetworkConfiguration {
    fileprivate func replacingTransport(_ transport: some NetworkTransport) -> NetworkConfiguration {
        var configuration = self
        configuration.transport = transport
        return configuration
    }
}
