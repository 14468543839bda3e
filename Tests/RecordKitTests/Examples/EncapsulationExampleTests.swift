import RecordKit
import RecordKitInterceptors
import RecordKitTesting
import TestSupport
import XCTest

final class EncapsulationExampleTests: TimedTestCase {
    /// An invented release in the format of MusicBrainz.
    private let release = """
        <?xml version="1.0" encoding="UTF-8"?>
        <metadata xmlns="http://musicbrainz.org/ns/mmd-2.0#">
          <release id="8a3c0000-0000-4000-8000-00000000002a">
            <title>Kaffee &amp; Kuchen</title>
            <status id="4e304316-386d-3409-af2e-78857eec5cfe">Official</status>
            <quality>normal</quality>
            <text-representation><language>deu</language><script>Latn</script></text-representation>
            <artist-credit>
              <name-credit joinphrase=" &amp; "><artist id="a1"><name>Die Übungsgruppe</name></artist></name-credit>
              <name-credit><artist id="a2"><name>サンプル楽団</name></artist></name-credit>
            </artist-credit>
            <date>1973-11-02</date><country>DE</country><barcode>4006381333931</barcode><asin/>
            <label-info-list count="1">
              <label-info><catalog-number>ÜB 001</catalog-number><label id="l1"><name>Übung Records</name></label>
              </label-info>
            </label-info-list>
            <medium-list count="2">
              <medium><position>1</position><format id="f1">12" Vinyl</format>
                <track-list count="2" offset="0">
                  <track id="t1"><position>1</position><number>A1</number><length>215000</length>
                    <recording id="r1"><title>Aufwachen</title><length>215000</length></recording></track>
                  <track id="t2"><position>2</position><number>A2</number>
                    <recording id="r2"><title><![CDATA[Milch <oder> Zucker?]]></title></recording></track>
                </track-list>
              </medium>
              <medium><position>2</position><format id="f2">CD</format>
                <track-list count="1" offset="0">
                  <track id="t3"><position>1</position><number>1</number><length>61000</length>
                    <recording id="r3"><title>Noch ein St&#252;ck</title></recording></track>
                </track-list>
              </medium>
            </medium-list>
          </release>
        </metadata>
        """

    func testTheInventoryInJSON() async throws {
        let record = Encapsulation.StockedRecord(sku: "LP/42", title: "Blue", quantity: 1)
        let server = try LoopbackServer { request in
            switch (request.method, request.path) {
            case (.post, _): try .json(encoding: record, status: 201)
            case (_, "/v1/records"): try .json(encoding: [record])
            case (_, "/v1/records/LP%2F42"): try .json(encoding: record)
            default: .text("no such page", status: 404)
            }
        }
        let network = NetworkConfiguration(
            environment: NetworkEnvironment("\(server.url)/v1"),
            interceptors: [AuthorizationInterceptor(.bearer("t0ken"), for: .origin(server.url.absoluteString))])
        let one = NetworkManager<Encapsulation.RecordInventoryService.One>(network)
        let many = NetworkManager<Encapsulation.RecordInventoryService.Many>(network)

        let created = try await one.value(for: .createRecord(record))
        let fetched = try await one.value(for: .fetchRecord(sku: "LP/42"))
        let all = try await many.value(for: .fetchRecords(title: "Blue"))
        XCTAssertEqual([created, fetched] + all, [record, record, record])
        let error = await failure { () async throws(Encapsulation.StockError) in
            try await one.value(for: .fetchRecord(sku: "x"))
        }
        guard case .missing = error else { return XCTFail("\(String(describing: error))") }

        XCTAssertEqual(
            server.requests.map(\.target),
            ["/v1/records", "/v1/records/LP%2F42", "/v1/records?title=Blue", "/v1/records/x"])
        XCTAssertEqual(Set(server.requests.map { $0.header("Authorization") }), ["Bearer t0ken"])
    }

    func testTheCatalogueInXML() async throws {
        let server = try LoopbackServer { [release] _ in
            .status(200, headers: ["Content-Type": "application/xml; charset=utf-8"], body: Data(release.utf8))
        }
        let network = NetworkSession(
            NetworkConfiguration(
                environment: NetworkEnvironment("\(server.url)/ws/2"),
                interceptors: [
                    AuthorizationInterceptor(
                        .basic(user: "ada", password: "pw"), for: .origin(server.url.absoluteString))
                ]))

        let read = try await network.value(for: Encapsulation.Catalogue.release(id: "8a3c"))
        XCTAssertEqual(read.id, "8a3c0000-0000-4000-8000-00000000002a")
        XCTAssertEqual(read.title, "Kaffee & Kuchen")
        XCTAssertEqual(read.artist, "Die Übungsgruppe & サンプル楽団")
        XCTAssertEqual(read.catalogueNumbers, ["ÜB 001"])
        XCTAssertEqual(read.barcode, "4006381333931")
        XCTAssertEqual(read.media, ["12\" Vinyl", "CD"])
        XCTAssertEqual(read.tracks.map(\.number), ["A1", "A2", "1"])
        XCTAssertEqual(read.tracks.map(\.title), ["Aufwachen", "Milch <oder> Zucker?", "Noch ein Stück"])
        XCTAssertEqual(read.tracks.map(\.length), [.seconds(215), nil, .seconds(61)])

        let request = try XCTUnwrap(server.requests.first)
        XCTAssertEqual(request.target, "/ws/2/release/8a3c?inc=artist-credits%20labels%20recordings")
        XCTAssertEqual(request.header("Accept"), "application/xml, */*;q=0.5")
        XCTAssertEqual(request.header("Authorization"), "Basic \(Data("ada:pw".utf8).base64EncodedString())")
    }

    func testAMissingElementOfTheCatalogIsNamed() async throws {
        let cut = release.replacing("<title>Aufwachen</title>", with: "")
        let network = NetworkSession(
            NetworkConfiguration(
                environment: "https://catalogue.example",
                transport: CannedTransport(headers: ["Content-Type": "text/xml"], body: cut)))
        let error = await network.failure(of: Encapsulation.Catalogue.release(id: "8a3c"))
        guard case .decoding(let failure) = error else { return XCTFail("\(String(describing: error))") }
        XCTAssertTrue(failure.description.contains("<track> has no recording/title"), failure.description)
    }

    func testACompletionGetsAWholeCallFromAMockOfTheServer() async throws {
        let record = Encapsulation.StockedRecord(sku: "LP-42", title: "Blue", quantity: 1)
        let stub = StubServer()
        try stub.respond(
            to:
                Encapsulation.RecordInventoryService.One.createRecord(record),
            with: [.status(503), try .json(encoding: record, status: 201)])
        var network = stub.configuration
        let book = LogBook()
        network.interceptors = [
            RetryInterceptor(
                backoff: Backoff(base: .zero, shortestWait: .zero), idempotencyKey: RetryInterceptor.randomKey),
            AuthorizationInterceptor(.bearer("t0ken"), for: .origin("https://stub.test")),
            LoggingInterceptor(to: book),
        ]
        let inventory = NetworkManager<Encapsulation.RecordInventoryService.One>(network)

        let result = await withCheckedContinuation { continuation in
            inventory.send(.createRecord(record)) { continuation.resume(returning: $0) }
        }

        XCTAssertEqual(try result.get(), record)
        XCTAssertEqual(stub.requests.map { $0.headers["Authorization"] }, ["Bearer t0ken", "Bearer t0ken"])
        XCTAssertEqual(book.messages.count, 2)
        XCTAssertFalse(book.messages.joined().contains("t0ken"))
        try stub.verify()
    }
}
