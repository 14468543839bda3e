import Foundation
import RecordKit
import RecordKitTesting
import TestSupport
import XCTest

/// Runs the snippets of the first page of RecordKit's guide.
final class GuideExampleTests: TimedTestCase {
    private typealias Record = GuideExamples.Record
    private typealias RecordRequest = GuideExamples.RecordRequest
    private typealias Inventory = GuideExamples.Inventory

    func testTitle() async throws {
        let stub = StubServer()
        stub.respond(
            to: "GET /records/*",
            with: .json(#"{"sku": "LP-0042", "title": "Blue", "quantity": 3}"#))

        let inventory = Inventory(network: NetworkSession(stub.configuration))
        let title = try await inventory.title(of: "LP-0042")

        XCTAssertEqual(title, "Blue")
        XCTAssertEqual(
            stub.requests.map(\.description),
            ["GET https://stub.test/records/LP-0042"])
    }

    func testFailures() async throws {
        let record = Record(sku: "LP-0042", title: "Blue", quantity: 3)
        let current = #"{"sku": "LP-0042", "title": "Blue", "quantity": 2}"#

        let stub = StubServer()
        try stub.respond(to: RecordRequest.fetch(sku: "LP-0042"), with: record)
        try stub.respond(to: RecordRequest.fetch(sku: "none"), with: .status(404))
        try stub.respond(
            to: RecordRequest.create(record),
            with: .failure(URLError(.networkConnectionLost)),
            .json(current, status: 409))

        let network = NetworkSession(stub.configuration)
        let missing = await network.result(for: RecordRequest.fetch(sku: "none"))
        guard case .failure(.notFound) = missing else { return XCTFail("\(missing)") }

        let title = try await Inventory(network: network).title(of: "LP-0042")
        XCTAssertEqual(title, "Blue")
        let late = await network.result(for: RecordRequest.create(record))
        guard case .failure(.network) = late else { return XCTFail("\(late)") }
        let conflict = await network.result(for: RecordRequest.create(record))
        guard case .failure(.conflict(let other)) = conflict else { return XCTFail("\(conflict)") }
        XCTAssertEqual(other?.quantity, 2)
        try stub.verify()
    }

    func testASharedFormat() async throws {
        let pressing = GuideExamples.Pressing(releaseDate: Date(timeIntervalSince1970: 46_396_800))
        let request = GuideExamples.PressingRequest(pressing: pressing)
        let stub = StubServer()
        try stub.respond(to: request, with: pressing)

        let reply = try await NetworkManager(stub.configuration).reply(for: request)

        XCTAssertEqual(reply.value.releaseDate, pressing.releaseDate)
        let response = try XCTUnwrap(reply.response)
        XCTAssertEqual(String(decoding: response.body, as: UTF8.self), #"{"release_date":"1971-06-22T00:00:00Z"}"#)
        let read = try response.value(as: GuideExamples.Pressing.self, using: JSONDecoder.store)
        XCTAssertEqual(read.releaseDate, pressing.releaseDate)
        XCTAssertThrowsError(try response.value(as: GuideExamples.Pressing.self))
    }

    func testACredentialIsForOneOrigin() async throws {
        let stub = StubServer()
        stub.respond(to: "GET /records/*", with: .json(#"{"sku": "LP-0042", "title": "Blue", "quantity": 3}"#))
        var configuration = GuideExamples.credential("k", for: "http://127.0.0.1:8888")
        configuration.transport = stub

        _ = try await NetworkSession(configuration).value(for: RecordRequest.fetch(sku: "a"))
        configuration.environment = NetworkEnvironment("http://127.0.0.1:8889")
        _ = try await NetworkSession(configuration).value(for: RecordRequest.fetch(sku: "a"))

        XCTAssertEqual(stub.requests.map { $0.headers["X-API-Key"] }, ["k", nil])
    }

    func testPreview() async throws {
        let record = try await NetworkSession(.preview).value(for: RecordRequest.fetch(sku: "LP-0042"))
        XCTAssertEqual(record.quantity, 3)
    }

    func testRequests() throws {
        let store = NetworkEnvironment("https://store.example")
        let search = GuideExamples.RecordSearch.search(artist: "AC/DC", title: nil, page: 2)
        let update = GuideExamples.RecordUpdate.setQuantity(sku: "LP-0042", 3)

        let url = "https://store.example/artists/AC%2FDC/records?page=2&sort=year&sort=-price"
        XCTAssertEqual(try search.call(in: store).url.absoluteString, url)
        let filtered = GuideExamples.FilteredRequest(
            folders: ["crates", "A/B"], sku: "LP-0042", filters: ["title": "Blue & Green", "format": "LP"])
        let filteredURL = "https://store.example/crates/A%2FB/LP-0042?format=LP&title=Blue%20%26%20Green"
        XCTAssertEqual(try filtered.call(in: store).url.absoluteString, filteredURL)
        XCTAssertEqual(try update.call(in: store).headers["Content-Type"], "application/json")
        let form = GuideExamples.Upload.signUp(name: "Ada", password: "secret")
        XCTAssertEqual(try form.call(in: store).headers["Content-Type"], "application/x-www-form-urlencoded")
    }

    @MainActor
    func testCompletion() async throws {
        let model = GuideExamples.RecordModel(.preview)
        model.load(sku: "LP-0042")
        while model.record == nil, model.error == nil { await Task.yield() }
        XCTAssertEqual(model.record?.title, "Blue")
    }
}
