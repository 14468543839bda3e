import RecordKit
import RecordKitTesting
import TestSupport
import XCTest

/// Differences between the exports of browsers and proxies.
final class BrowserVariantTests: TimedTestCase {
    /// Replays the entries of a minimal archive.
    private func network(
        _ folder: TemporaryFolder, _ entries: String...
    ) throws -> NetworkConfiguration {
        try folder.write(#"{"log": {"entries": ["# + entries.joined(separator: ", ") + "]}}", to: "one.har")
        let cassette = try Cassette(folder.url.appending(path: "one.har"), .replay)
        return NetworkConfiguration(environment: NetworkEnvironment("https://shop.example"), transport: cassette)
    }

    private func entry(_ url: String, _ response: String, method: String = "GET") -> String {
        #"{"request": {"method": "\#(method)", "url": "\#(url)"}, "response": \#(response)}"#
    }

    func testAnOddEntryIsLeftOutAndReported() async throws {
        let folder = try TemporaryFolder()
        let plain = #"{"status": 200, "content": {"text": "plain"}}"#
        let entries = [
            entry("https://shop.example/a", #"{"status": 0, "_error": {"code": -2}}"#),
            entry("https://shop.example/b", plain),
            #"{"request": {"method": null, "url": "https://shop.example/c"}}"#,
            """
            {"request": {"method": "POST", "url": "https://shop.example/d", "postData": \
            {"mimeType": "application/x-www-form-urlencoded", "params": [{"name": "x", "value": {}}]}}}
            """,
            entry("https://shop.example/e", #"{"status": 200, "content": {"text": "x", "encoding": "rot13"}}"#),
            "[1]",
        ]
        try folder.write(#"{"log": {"entries": ["# + entries.joined(separator: ", ") + "]}}", to: "one.har")
        let cassette = try Cassette(folder.url.appending(path: "one.har"), .replay)
        let network = NetworkSession(
            NetworkConfiguration(environment: NetworkEnvironment("https://shop.example"), transport: cassette))

        assertEqual(try await network.value(for: Ask<String>(path: "b")), "plain")
        XCTAssertEqual(cassette.unreadableEntries.map { $0.prefix(14) }, [0, 2, 3, 4, 5].map { "log.entries[\($0)]" })
        XCTAssertTrue(cassette.unreadableEntries[0].contains("_error"), cassette.unreadableEntries[0])
        let error = await network.failure(of: Ask<Data>(path: "a"))
        let message = (error?.cause as? UnexpectedRequest)?.description ?? ""
        XCTAssertTrue(
            message.contains("5 entries of the recording that could not be read: log.entries[0].response._error"),
            message)
        XCTAssertTrue(message.hasSuffix(" instead; see Cassette.unreadableEntries for the others."), message)
    }

    /// A request is compared with the recordings of its path alone. So it takes much less time if each has a path of
    /// its own than if all have the same.
    func testARequestLooksOnlyAtTheRecordingsOfItsAddress() async throws {
        let folder = try TemporaryFolder()
        func processorTime(_ address: (Int) -> String) async throws -> Double {
            let entries = (0..<2_000).map {
                entry("https://shop.example/\(address($0))", #"{"status": 200, "content": {"text": "\#($0)"}}"#)
            }
            var network = try network(folder, entries.joined(separator: ", "))
            network.sensitiveNames = ["X-Till"]
            let session = NetworkSession(network)
            let begin = clock()
            for number in 1_990..<2_000 {
                let url = "https://shop.example/\(address(number))"
                let text = try await session.value(for: Ask<String>(baseURL: url, path: "", headers: ["X-Till": "1"]))
                XCTAssertEqual(text, "\(number)")
            }
            return Double(clock() - begin)
        }
        let own = try await processorTime { "items/\($0)?page=1" }
        let same = try await processorTime { "items?page=\($0)" }
        XCTAssertLessThan(own * 5, same)
    }

    func testAPathIsTheSameHoweverItIsEncoded() async throws {
        let folder = try TemporaryFolder()
        let network = try network(
            folder,
            entry("https://shop.example/users/@me/caf%c3%a9/a,b", #"{"status": 200, "content": {"text": "me"}}"#))
        let text = try await NetworkSession(network).value(for: Ask<String>(path: "users/\("@me")/\("café")/\("a,b")"))
        XCTAssertEqual(text, "me")
        for path: RequestPath in ["users/\("@me/café")/\("a,b")", "users/\("@me")/\("cafe\u{301}")/\("a,b")"] {
            let other = await network.failure(of: Ask<Data>(path: path))
            XCTAssertEqual((other?.cause as? UnexpectedRequest)?.differences.map(\.part), [.path])
        }
    }

    func testAResponseFromTheCacheOfTheBrowserIsReplayed() async throws {
        let folder = try TemporaryFolder()
        let network = try network(
            folder, entry("https://shop.example/cached", #"{"status": 304, "content": {"text": "kept"}}"#),
            entry("https://shop.example/bare", #"{"status": 304, "content": {"size": 0}}"#))
        assertEqual(try await NetworkSession(network).value(for: Ask<String>(path: "cached")), "kept")
        assertEqual(await network.failure(of: Ask<Data>(path: "bare"))?.response?.statusCode, 304)
    }

    func testARequestWithoutAResponseHasNone() async throws {
        let folder = try TemporaryFolder()
        let network = try network(
            folder, entry("https://shop.example/a", #"{"status": -1}"#), entry("https://shop.example/b", "{}"),
            #"{"request": {"method": "GET", "url": "https://shop.example/c"}}"#)
        for path in ["a", "b", "c"] {
            guard case .connection(let failure) = await network.failure(of: Ask<Data>(path: "\(path)")) else {
                return XCTFail(path)
            }
            XCTAssertEqual(failure.kind, .lost)
        }
    }

    func testAResponseWhoseBodyWasNotExportedIsNotEmpty() async throws {
        let folder = try TemporaryFolder()
        let network = try network(
            folder, entry("https://shop.example/a", #"{"status": 200, "content": {"size": 9}}"#),
            entry("https://shop.example/b", #"{"status": 200, "content": {"_file": "b.json"}}"#),
            entry("https://shop.example/c", #"{"status": 304, "content": {"size": 9}}"#),
            entry("https://shop.example/d", #"{"status": 200, "content": {"size": 9, "text": ""}}"#),
            entry("https://shop.example/d", #"{"status": 200, "content": {"size": 9}}"#, method: "HEAD"))
        let dropped = await network.failure(of: Ask<Data>(path: "a"))
        XCTAssertEqual(
            dropped?.cause as? CassetteError,
            .bodyMissing(request: "GET https://shop.example/a (entry 1)", file: nil))
        let beside = await network.failure(of: Ask<Data>(path: "b"))
        XCTAssertEqual(
            (beside?.cause as? CassetteError)?.description,
            "The recording does not contain the body of the response to GET https://shop.example/b (entry 2), "
                + "which is in the file \"b.json\". Export it again with all bodies in it.")
        assertEqual(await network.failure(of: Ask<Data>(path: "c"))?.response?.statusCode, 304)
        for method: HTTPMethod in [.get, .head] {
            assertEqual(try await NetworkSession(network).value(for: Ask<Data>(path: "d", method: method)), Data())
        }
    }

    func testEntriesThatTransportsCannotRequestAreOmitted() async throws {
        let folder = try TemporaryFolder()
        let answer = #"{"status": 200, "content": {"text": "x"}}"#
        let network = try network(
            folder, entry("data:text/plain,x", answer), entry("HTTPS://Shop.example/a", answer))
        assertEqual(try await NetworkSession(network).value(for: Ask<String>(path: "a")), "x")
        try (network.transport as? Cassette)?.verify()
    }

    func testAFormWithAnEmptyTextIsThatOfItsFields() async throws {
        let folder = try TemporaryFolder()
        let network = try network(
            folder,
            #"""
            {"request": {"method": "POST", "url": "https://shop.example/a", "postData": {
                "mimeType": "application/x-www-form-urlencoded", "text": "", "params": [{"name": "a", "value": "1"}]}},
            "response": {"status": 200, "content": {"text": "eA==\n", "encoding": "BASE64"}}}
            """#)
        let text = try await NetworkSession(network).value(
            for: Ask<String>(path: "a", method: .post, content: FormBody(["a": 1])))
        XCTAssertEqual(text, "x")
    }

    func testTheHeadersOfAResponseAreKept() async throws {
        let folder = try TemporaryFolder()
        let network = try network(
            folder,
            entry(
                "https://shop.example/a",
                #"""
                {"status": 200, "content": {"text": "x", "mimeType": "text/html", "encoding": ""}, "headers": [
                    {"name": "X-Empty", "value": ""}, {"name": "Content-Type", "value": "text/plain; charset=utf-8"}]}
                """#))
        let response = try await NetworkSession(network).value(for: Ask<NetworkResponse>(path: "a"))
        XCTAssertEqual(response.headers["X-Empty"], "")
        XCTAssertEqual(response.headers["Content-Type"], "text/plain; charset=utf-8")
    }

    func testWhetherAFailureReachedTheServerFollowsFromItsKind() async throws {
        let folder = try TemporaryFolder()
        let kinds = ["refused": false, "nameNotFound": false, "lost": true, "timedOut": true, "unheard of": true]
        for (kind, reached) in kinds {
            let network = try network(
                folder, entry("https://shop.example/a", #"{"status": 0, "_failure": "\#(kind)"}"#))
            assertEqual(await network.failure(of: Ask<Data>(path: "a"))?.mayHaveReachedServer, reached, kind)
        }
    }

    func testTheResponseToHEADKeepsItsLength() async throws {
        let folder = try TemporaryFolder()
        let network = try network(
            folder,
            entry(
                "https://shop.example/a",
                #"{"status": 200, "headers": [{"name": "content-length", "value": "1234"}]}"#, method: "HEAD"))
        let response = try await NetworkSession(network).value(for: Ask<NetworkResponse>(path: "a", method: .head))
        XCTAssertEqual(response.headers["Content-Length"], "1234")
    }
}
