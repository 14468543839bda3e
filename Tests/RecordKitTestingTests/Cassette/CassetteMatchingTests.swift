import RecordKit
import RecordKitTesting
import TestSupport
import XCTest

final class CassetteMatchingTests: TimedTestCase {
    private let stub = StubServer()
    private let base = "https://a.test"

    func testAMultipartBodyIsMatchedWhateverItsBoundary() async throws {
        let folder = try TemporaryFolder()
        try Data([0xFF, 0xD8, 0, 1]).write(to: folder.url.appending(path: "cover.jpg"))
        let file = folder.url.appending(path: "one.har")
        stub.respond(to: "POST /**", with: .text("kept"))
        func ask(_ caption: String, cover: Bool) -> Ask<String> {
            var parts: [MultipartBody.Part] = [.text("caption", caption)]
            if cover { parts.append(.file("cover", folder.url.appending(path: "cover.jpg"))) }
            return Ask(baseURL: base, path: "covers", method: .post, content: MultipartBody(parts))
        }
        let recorder = NetworkSession(NetworkConfiguration(transport: try Cassette(file, .record(through: stub))))
        for cover in [false, true] { _ = try await recorder.value(for: ask("Front", cover: cover)) }

        let cassette = try Cassette(file, .replay)
        let player = NetworkSession(NetworkConfiguration(transport: cassette))
        let other = await NetworkConfiguration(transport: try Cassette(file, .replay))
            .failure(of: ask("Backs", cover: true))
        XCTAssertTrue(other?.cause is UnexpectedRequest, "\(String(describing: other))")
        for cover in [true, false] {
            assertEqual(try await player.value(for: ask("Front", cover: cover)), "kept")
        }
        try cassette.verify()
    }

    func testAPartInJSONIsMatchedByWhatItMeans() async throws {
        let file = try TemporaryFolder()
        let har = file.url.appending(path: "one.har")
        stub.respond(to: "POST /**", with: .text("kept"))
        func ask(_ json: String) -> Ask<String> {
            let part = MultipartBody.Part.data("meta", Data(json.utf8), contentType: "application/json")
            return Ask(baseURL: base, path: "covers", method: .post, content: MultipartBody([part]))
        }
        let recorder = NetworkSession(NetworkConfiguration(transport: try Cassette(har, .record(through: stub))))
        _ = try await recorder.value(for: ask(#"{"a": 1, "b": [2]}"#))
        let player = NetworkSession(NetworkConfiguration(transport: try Cassette(har, .replay)))
        let other = await player.failure(of: ask(#"{"b": [3], "a": 1}"#))
        XCTAssertTrue(other?.cause is UnexpectedRequest, "\(String(describing: other))")
        assertEqual(try await player.value(for: ask(#"{"b":[2],"a":1}"#)), "kept")
    }

    func testABodyThatDoesNotUseItsBoundaryIsComparedWhole() async throws {
        let folder = try TemporaryFolder()
        let har = folder.url.appending(path: "one.har")
        stub.respond(to: "POST /**", with: .text("kept"))
        func ask(_ body: Data) -> Ask<String> {
            Ask(
                baseURL: base, path: "x", method: .post, headers: ["Content-Type": "multipart/mixed; boundary=b"],
                content: body)
        }
        let recorder = NetworkSession(NetworkConfiguration(transport: try Cassette(har, .record(through: stub))))
        let recorded = [Data("one".utf8), Data("--b\r\nA: 1\r\n\r\nx".utf8), Data([0xFE, 1])]
        for body in recorded { _ = try await recorder.value(for: ask(body)) }
        for body in [Data("two".utf8), Data("--b\r\nA: 1\r\n\r\ny".utf8), Data([0xFF, 1])] {
            let player = NetworkConfiguration(transport: try Cassette(har, .replay))
            let error = await player.failure(of: ask(body))
            XCTAssertTrue(error?.cause is UnexpectedRequest, "\(Array(body))")
        }
    }

    func testPagesAndCountsAreNoSecrets() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "one.har")
        for (page, next) in [("A", "B"), ("B", "C")] {
            stub.respond(
                to:
                    StubPattern("/ask?page_token=\(page)"),
                with: .json(#"{"nextPageToken":"\#(next)","usage":{"total_tokens":57}}"#))
        }
        func ask(_ page: String) -> Ask<String> { Ask(baseURL: base, query: ["page_token": page]) }
        let recorder = NetworkSession(NetworkConfiguration(transport: try Cassette(file, .record(through: stub))))
        for page in ["A", "B"] { _ = try await recorder.value(for: ask(page)) }
        let player = NetworkSession(NetworkConfiguration(transport: try Cassette(file, .replay)))
        assertEqual(try await player.value(for: ask("B")), #"{"nextPageToken":"C","usage":{"total_tokens":57}}"#)
    }

    func testARequestThatWasNotRecordedIsReportedAtTheEnd() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "one.har")
        stub.respond(to: "/ask", with: .text("x"))
        _ = try await NetworkSession(NetworkConfiguration(transport: try Cassette(file, .record(through: stub))))
            .value(for: Ask<String>(baseURL: base))
        let cassette = try Cassette(file, .replay)
        let player = NetworkSession(NetworkConfiguration(transport: cassette))
        _ = try await player.value(for: Ask<String>(baseURL: base))
        // Like code that ignores an error.
        _ = try? await player.value(for: Ask<String>(baseURL: base, path: "count"))
        XCTAssertThrowsError(try cassette.verify()) { error in
            XCTAssertEqual(
                "\(error)",
                "The recording one.har has no GET https://a.test/count. The nearest is GET https://a.test/ask (entry "
                    + "1): the path is /count, expected /ask.")
        }
    }

    func testSecretsOfTheConfigurationDoNotCountInABrowsersArchive() async throws {
        let folder = try TemporaryFolder()
        try folder.write(
            #"""
            {"log": {"entries": [{
                "request": {
                    "method": "POST", "url": "https://a.test/ask?till=7",
                    "postData": {"mimeType": "application/json", "text": "{\"pin\": 1}"}},
                "response": {"status": 200, "content": {"text": "open"}}
            }]}}
            """#, to: "browser.har")
        let file = folder.url.appending(path: "browser.har")
        let network = NetworkSession(
            NetworkConfiguration(transport: try Cassette(file, .replay), sensitiveNames: ["till", "pin"]))
        let answer = try await network.value(
            for: Ask<String>(baseURL: base, method: .post, query: ["till": 8], content: ["pin": 2]))
        XCTAssertEqual(answer, "open")
    }

    func testACancelledCallUsesUpNothing() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "one.har")
        stub.respond(to: "/ask", with: .text("x"))
        let call = NetworkCall(url: try XCTUnwrap(URL(string: base + "/ask")))
        _ = try await Cassette(file, .record(through: stub)).exchange(call)
        let cassette = try Cassette(file, .replay)
        let cancelled = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await networkError { try await cassette.exchange(call) }
        }
        guard case .cancelled = await cancelled.value else { return XCTFail("not cancelled") }
        assertEqual(try await cassette.exchange(call).body, Data("x".utf8))
        try cassette.verify()
    }

    func testMembersThatAreNotNeededAreNotRead() async throws {
        let folder = try TemporaryFolder()
        try folder.write(
            #"""
            {"log": {"version": 1.2, "creator": {"name": "proxy"}, "entries": [{
                "startedDateTime": null, "time": "12 ms", "cache": null, "timings": {"send": null, "wait": 3},
                "request": {
                    "method": "GET", "url": "https://a.test/ask", "httpVersion": null, "cookies": [{}],
                    "headers": [{"name": 1}], "headersSize": 0.5},
                "response": {
                    "status": 200, "cookies": [{}], "redirectURL": null, "headersSize": "?",
                    "content": {"size": 1.5, "text": "read"}}
            }]}}
            """#, to: "proxy.har")
        let cassette = try Cassette(folder.url.appending(path: "proxy.har"), .replay)
        let answer = try await NetworkSession(NetworkConfiguration(transport: cassette)).value(
            for: Ask<String>(baseURL: base))
        XCTAssertEqual(answer, "read")
    }

    func testAResponseWithoutATypeReplaysWithoutOne() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "one.har")
        stub.respond(to: "/ask", with: .status(200, body: Data("{}".utf8)))
        let ask = Ask<NetworkResponse>(options: RequestOptions(expectedType: "application/json"))
        var network = stub.configuration
        for mode in [Cassette.Mode.record(through: stub), .replay] {
            network.transport = try Cassette(file, mode)
            assertEqual(try await NetworkSession(network).value(for: ask).headers.map(\.name), ["Content-Length"])
        }
    }
}
