import RecordKitJSON
import RecordKit
import TestSupport
import XCTest

@testable import RecordInventory

final class EmbeddedTransportTests: TimedTestCase {
    private func call(_ method: HTTPMethod, _ address: String, _ body: String? = nil) throws -> NetworkCall {
        NetworkCall(
            url: try XCTUnwrap(URL(string: address)), method: method,
            body: body.map { EncodedBody(Data($0.utf8), contentType: "application/json") })
    }

    func testCarriesCallsAndAnswers() async throws {
        let folder = try TemporaryFolder()
        let transport = EmbeddedTransport(EmbeddedStore(file: folder.url.appending(path: "store.sqlite")))
        let base = "http://store.test:99/v1/buckets/shop/collections/records/records"
        _ = try await transport.exchange(call(.put, "http://store.test:99/v1/buckets/shop"))
        _ = try await transport.exchange(call(.put, "http://store.test:99/v1/buckets/shop/collections/records"))
        for sku in ["a", "b"] {
            let made = try await transport.exchange(call(.put, "\(base)/\(sku)", #"{"data":{"title":"Blue & co"}}"#))
            XCTAssertEqual(made.statusCode, 201)
            XCTAssertEqual(made.url.absoluteString, "\(base)/\(sku)")
            XCTAssertEqual(made.mediaType?.essence, "application/json")
        }
        let page = try await transport.exchange(call(.get, "\(base)?title=%22Blue%20%26%20co%22&_limit=1&_sort=id"))
        let next = try XCTUnwrap(page.headers["Next-Page"])
        XCTAssertTrue(next.contains("?title=%22Blue%20%26%20co%22&"), next)
        let last = try await transport.exchange(call(.get, "http://store.test:99\(next)"))
        XCTAssertTrue(String(decoding: last.body, as: UTF8.self).contains(#""id":"b""#))
    }

    func testMembersAreComparedByTheirBytes() async throws {
        let folder = try TemporaryFolder()
        let transport = EmbeddedTransport(EmbeddedStore(file: folder.url.appending(path: "store.sqlite")))
        let base = "http://store.test/v1/buckets/shop/collections/records/records"
        let (one, two) = ("caf\u{E9}", "cafe\u{301}")
        XCTAssertEqual(one, two, "equal to Swift, not to a server")
        _ = try await transport.exchange(call(.put, "http://store.test/v1/buckets/shop"))
        _ = try await transport.exchange(call(.put, "http://store.test/v1/buckets/shop/collections/records"))
        func send(_ method: HTTPMethod, _ body: String? = nil) async throws -> String {
            String(decoding: try await transport.exchange(call(method, "\(base)/a", body)).body, as: UTF8.self)
        }
        func holds(_ text: String, _ member: String) -> Bool {
            Array(text.utf8).firstRange(of: Array(member.utf8)) != nil
        }
        _ = try await send(.put, #"{"data":{"\#(one)":1,"\#(two)":2}}"#)
        let both = try await send(.get)
        for member in ["\(one)\":1", "\(two)\":2"] { XCTAssertTrue(holds(both, member), both) }
        let patched = try await send(.patch, #"{"data":{"\#(two)":3}}"#)
        for member in ["\(one)\":1", "\(two)\":3"] { XCTAssertTrue(holds(patched, member), patched) }
    }

    func testABodyThatIsNotInMemoryIsRead() async throws {
        let folder = try TemporaryFolder()
        let transport = EmbeddedTransport(EmbeddedStore(file: folder.url.appending(path: "store.sqlite")))
        let path = try folder.write(#"{"data":{"title":"Blue"}}"#.utf8, to: "body.json")
        var call = try call(.put, "http://store.test/v1/buckets/shop")
        call.body = EncodedBody(
            .pieces([.file(try EncodedBody.File(URL(filePath: path)))]), contentType: "application/json")
        let made = try await transport.exchange(call)
        XCTAssertTrue(String(decoding: made.body, as: UTF8.self).contains(#""title":"Blue""#))
        try FileManager.default.removeItem(atPath: path)
        do {
            _ = try await transport.exchange(call)
            XCTFail("sent a body file that was removed")
        } catch NetworkError.invalidRequest(let error) {
            XCTAssertEqual(error.member, .body)
        }
    }

    func testTheErrorOfTheFileIsTheCause() async throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("no database".utf8, to: "store.txt")
        let transport = EmbeddedTransport(EmbeddedStore(file: URL(filePath: path)))
        do {
            _ = try await transport.exchange(call(.get, "http://store.test/v1/"))
            XCTFail("the transport responded")
        } catch {
            XCTAssertEqual((error as? NetworkError)?.cause as? EmbeddedStoreError, .notAStore(file: path))
            XCTAssertEqual((error as? NetworkError)?.isTransient, false)
            XCTAssertEqual((error as? NetworkError)?.mayHaveReachedServer, false)
        }
    }

    func testACancelledCallIsCancelled() async throws {
        let folder = try TemporaryFolder()
        let transport = EmbeddedTransport(EmbeddedStore(file: folder.url.appending(path: "store.sqlite")))
        let call = try call(.get, "http://store.test/v1/")
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await transport.exchange(call)
        }
        let outcome = await task.result
        XCTAssertThrowsError(try outcome.get()) { error in
            guard case NetworkError.cancelled = error else { return XCTFail("\(error)") }
        }
    }
}
