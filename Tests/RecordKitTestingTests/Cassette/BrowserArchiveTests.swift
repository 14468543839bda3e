import RecordKit
import RecordKitTesting
import TestSupport
import XCTest

/// A HAR file like those of browsers, written by hand according to the specification: several hosts, pseudo-header
/// fields, a form as parameters, an image in base64, a redirect, a blocked request, local data.
final class BrowserArchiveTests: TimedTestCase {
    private func network() throws -> NetworkConfiguration {
        let file = try XCTUnwrap(Bundle.module.resourceURL).appending(path: "Fixtures/browser.har")
        return NetworkConfiguration(transport: try Cassette(file, .replay))
    }

    func testEveryHostHasItsOwnResponses() async throws {
        let network = try network()
        let records = try await NetworkSession(network).value(
            for: Ask<NetworkResponse>(
                baseURL: "https://shop.example", path: "records", query: ["page": 1, "access_token": "another"]))
        XCTAssertEqual(
            try records.value(as: [Record].self), [Record(sku: "LP-0042", title: "Kind of Blue", quantity: 3)])
        XCTAssertEqual(records.headers.values(for: "X-Many"), ["one, two"])
        XCTAssertFalse(records.headers.contains { $0.name.hasPrefix(":") })
        XCTAssertEqual(records.headers["Content-Length"], "\(records.body.count)")

        let picture = try await NetworkSession(network).value(
            for: Ask<NetworkResponse>(baseURL: "https://images.example", path: "LP-0042.png"))
        XCTAssertEqual(Array(picture.body), [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0xFF, 0xFE])
        XCTAssertEqual(picture.mediaType?.essence, "image/png")

        let error = await network.failure(of: Ask<Data>(baseURL: "https://images.example", path: "records"))
        XCTAssertEqual(
            (error?.cause as? UnexpectedRequest)?.description,
            "The recording browser.har has no GET https://images.example/records. The nearest is "
                + "GET https://images.example/LP-0042.png (entry 2): the path is /records, expected /LP-0042.png.")
    }

    func testAFormInParametersIsMatchedWithoutItsSecrets() async throws {
        let form = FormBody(["grant_type": "password", "password": "another secret"])
        let token = try await NetworkSession(network()).value(
            for: Ask<String>(baseURL: "https://login.example", path: "token", method: .post, content: form))
        XCTAssertEqual(token, #"{"access_token":"live-one"}"#)
        let other = FormBody(["grant_type": "refresh", "password": "x"])
        let error = try await network().failure(
            of: Ask<Data>(baseURL: "https://login.example", path: "token", method: .post, content: other))
        XCTAssertEqual(
            (error?.cause as? UnexpectedRequest)?.description,
            "The recording browser.har has no POST https://login.example/token. The nearest is "
                + "POST https://login.example/token (entry 3): grant_type in the body is \"refresh\", "
                + "expected \"password\"."
        )
    }

    func testARedirectIsFollowedWithinTheRecording() async throws {
        let answer = try await NetworkSession(network()).value(
            for: Ask<NetworkResponse>(baseURL: "http://shop.example", path: "old"))
        XCTAssertEqual(answer.body, Data("new".utf8))
        XCTAssertEqual(answer.url.absoluteString, "https://shop.example/new")
        XCTAssertEqual(answer.mediaType?.essence, "text/plain")
    }

    func testABlockedRequestHasNoResponse() async throws {
        let error = try await network().failure(of: Ask<Data>(baseURL: "https://tracker.example", path: "pixel"))
        guard case .connection(let failure) = error else { return XCTFail("\(String(describing: error))") }
        XCTAssertEqual(failure.kind, .lost)
        XCTAssertEqual((failure.cause as? RecordedError)?.description, "net::ERR_BLOCKED_BY_CLIENT")
    }
}
