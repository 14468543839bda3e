import RecordKit
import RecordKitTesting
import TestSupport
import XCTest

final class MockFolderTests: TimedTestCase {
    private let network = NetworkSession(NetworkConfiguration(MockFolder("Fixtures/Mocks", in: .module)))

    func testACaseGetsItsResponseFromTheFileNamedForIt() async throws {
        for sku in ["a", "b"] {
            let record = try await network.value(for: RecordService.One.fetch(sku: sku))
            XCTAssertEqual(record, Record(sku: "LP-0042", title: "Kind of Blue", quantity: 3))
        }
    }

    func testStatusAndHeadersStandBeside() async throws {
        let error = await network.failure(of: RecordService.One.create(Record(sku: "a")))
        guard case .conflict = error else { return XCTFail("\(String(describing: error))") }
        let url = try XCTUnwrap(URL(string: "https://store.example/x"))
        let response = try await network.configuration.transport.exchange(
            NetworkCall(url: url, request: RecordService.One.create(Record(sku: "a"))))
        XCTAssertEqual(response.statusCode, 412)
        XCTAssertEqual(response.headers["Retry-After"], "3")
        XCTAssertEqual(response.mediaType?.isJSON, true)
        XCTAssertEqual(String(decoding: response.body, as: UTF8.self), "{\"code\": 412}\n")
    }

    func testAResponseWithoutABodyNeedsNoFileForOne() async {
        assertNil(await network.failure(of: RecordService.Nothing.delete(sku: "a")))
    }

    func testAMissingFileIsNamed() async throws {
        let error = await network.failure(of: RecordService.Many.list)
        guard case .interceptor(let failure) = error?.network else { return XCTFail("\(String(describing: error))") }
        let folder = MockFolder("Fixtures/Mocks", in: .module).folder.path
        XCTAssertEqual(
            failure.description,
            "MockFolder ended the call: There is no file RecordService.Many.list.json in \(folder). "
                + "Add it, or pass another name.")
        XCTAssertEqual(failure.cause as? StubError, .missingFile("RecordService.Many.list.json", folder: folder))
    }

    func testAFileThatCannotBeUsedIsNamed() async throws {
        let folder = try TemporaryFolder()
        let network = NetworkSession(NetworkConfiguration(MockFolder(folder.url)))
        try folder.write(#"{"sku": "#, to: "Ask.json")
        let body = await network.failure(of: Ask<Data>())
        XCTAssertEqual(
            body?.description,
            "MockFolder ended the call: The file \(folder.url.path)/Ask.json cannot be read: "
                + "it doesn't contain valid JSON."
        )
        try folder.write(#"{"status": "fine"}"#, to: "Ask.response.json")
        let head = await network.failure(of: Ask<Data>())
        XCTAssertEqual(
            head?.description,
            "MockFolder ended the call: The file \(folder.url.path)/Ask.response.json cannot be read: "
                + "write it like {\"status\": 404, \"headers\": {\"Name\": \"value\"}}.")
        // The file is read again for each call.
        try folder.write("{}", to: "Ask.response.json")
        try folder.write("[1]", to: "Ask.json")
        assertEqual(try await network.value(for: Ask<String>()), "[1]")
        try FileManager.default.removeItem(at: folder.url.appending(path: "Ask.json"))
        try FileManager.default.createDirectory(
            at: folder.url.appending(path: "Ask.json"), withIntermediateDirectories: false)
        guard case .unreadableFile = await network.failure(of: Ask<Data>())?.cause as? StubError else {
            return XCTFail("A folder is no file.")
        }
    }

    func testABodyHasTheTypeThatItsHeadersSay() async throws {
        let folder = try TemporaryFolder()
        let network = NetworkSession(NetworkConfiguration(MockFolder(folder.url)))
        var seen: [String] = []
        let files = [
            ("7", "{}"), ("", "{}"), ("7", #"{"headers": {"content-type": "application/problem+json"}}"#), (nil, "{}"),
        ]
        for (body, head) in files {
            try? FileManager.default.removeItem(at: folder.url.appending(path: "Ask.json"))
            if let body { try folder.write(body, to: "Ask.json") }
            try folder.write(head, to: "Ask.response.json")
            let response = try await network.value(for: Ask<NetworkResponse>())
            seen.append("\(response.headers["Content-Type"] ?? "-") \(response.body.count)")
        }
        XCTAssertEqual(seen, ["application/json 1", "application/json 0", "application/problem+json 1", "- 0"])
    }
}
