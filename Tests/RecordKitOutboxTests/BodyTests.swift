import RecordKit
import RecordKitInterceptors
import RecordKitOutbox
import RecordKitTesting
import TestSupport
import XCTest

/// Each attempt sends the same bytes, and attachments are copies.
final class BodyTests: TimedTestCase {
    struct PostCover: NetworkRequest, Codable {
        typealias ValueType = Void

        let sku: String
        let cover: OutboxAttachment
        var method: HTTPMethod { .post }
        var path: RequestPath { "covers" }
        var body: MultipartBody {
            MultipartBody([.text("sku", sku), .file("cover", cover.url, contentType: "image/png")])
        }
    }

    /// An encoder of the app's own, which never writes the same bytes twice.
    struct RandomEncoder: NetworkEncoder {
        func encode<Value: Encodable>(_ value: Value) throws -> Data { Data(UUID().uuidString.utf8) }
    }

    struct PostRandom: NetworkRequest, Codable {
        typealias ValueType = Receipt
        var method: HTTPMethod { .post }
        var path: RequestPath { "sales" }
        var body: PostSale.Line { PostSale.Line(sku: "a") }
        var encoder: RandomEncoder { RandomEncoder() }
    }

    private func covers(_ bench: Bench) -> OutboxKind {
        OutboxKind("cover", PostCover.self) { [handled = bench.handled] reply in handled.add(reply.request.sku) }
    }

    /// Each repeat is made by a new process.
    func testEachAttemptSendsTheBytesOfTheFirst() async throws {
        let bench = try Bench()
        let cover = try bench.folder.file("cover.png", Data("image".utf8))
        let kinds = [bench.sales(), covers(bench), OutboxKind("random", PostRandom.self) { _ in }]
        bench.server.fail(.connection(.lost, reached: true))
        let outbox = try bench.outbox(kinds: kinds)
        try await outbox.add(PostSale(sku: "a"), lane: "1")
        try await outbox.add(PostCover(sku: "b", cover: OutboxAttachment(cover)), lane: "2")
        try await outbox.add(PostRandom(), lane: "3")
        for _ in 0..<3 {
            let next = try bench.outbox(kinds: kinds)
            // A failure pauses the outbox, and the next attempt is one for the next lane.
            for _ in 0..<5 {
                await next.sendPending()
                await next.wake()
            }
        }
        let received = Dictionary(grouping: bench.server.received.now, by: \.key)
        XCTAssertEqual(received.count, 3)
        for repeats in received.values {
            XCTAssertGreaterThan(repeats.count, 1)
            XCTAssertEqual(Set(repeats.map(\.body)).count, 1)
            XCTAssertEqual(Set(repeats.map(\.contentType)).count, 1)
        }
    }

    /// The body of the app's own encoder, with its strategies and its type.
    func testTheBodyIsThatOfTheRequestsEncoder() async throws {
        struct PostDate: NetworkRequest, Codable {
            typealias ValueType = Receipt
            struct Body: Codable, NetworkEncodable {
                var soldAt = Date(timeIntervalSince1970: 0)
                var data = Data([1, 2])
                var price = Double.infinity
            }
            /// Stored as a string, since JSON has no infinity.
            var discount = Double.infinity
            var method: HTTPMethod { .post }
            var path: RequestPath { "sales" }
            var headers: HTTPHeaders { ["Content-Type": "application/vnd.shop+json"] }
            var body: Body { Body() }
            var encoder: JSONEncoder {
                let encoder = JSONEncoder()
                encoder.outputFormatting = .sortedKeys
                encoder.dateEncodingStrategy = .iso8601
                encoder.dataEncodingStrategy = .custom { data, encoder in
                    var container = encoder.singleValueContainer()
                    try container.encode(data.count)
                }
                encoder.nonConformingFloatEncodingStrategy = .convertToString(
                    positiveInfinity: "inf", negativeInfinity: "", nan: "")
                encoder.keyEncodingStrategy = .convertToSnakeCase
                return encoder
            }
        }
        let bench = try Bench()
        let outbox = try bench.outbox(kinds: [OutboxKind("date", PostDate.self) { _ in }])
        _ = try await bench.session().value(for: PostDate())
        try await outbox.add(PostDate())
        await outbox.sendPending()
        let received = bench.server.received.now
        XCTAssertEqual(received.map(\.text), Array(repeating: received[0].text, count: 2))
        XCTAssertEqual(received.map(\.contentType), Array(repeating: "application/vnd.shop+json", count: 2))
    }

    /// Offline, each attempt sends the file that `add` has copied.
    func testAnAttachmentIsCopiedOnceAndMustStayAsItIs() async throws {
        for (change, fault) in [("", ""), ("longer", "has another size"), (nil, "is gone")] as [(String?, String)] {
            let bench = try Bench()
            let cover = try bench.folder.file("cover.png", Data("image".utf8))
            let outbox = try bench.outbox(kinds: [covers(bench)])
            bench.server.fail(.connection(.refused))
            let entry = try await outbox.add(PostCover(sku: "a", cover: OutboxAttachment(cover)))
            for _ in 0..<20 {
                await outbox.sendPending()
                await outbox.wake()
            }
            XCTAssertEqual(bench.server.count, 20)
            let files = URL(filePath: bench.file.path + ".files")
            let copies = try FileManager.default.subpathsOfDirectory(atPath: files.path)
                .filter { $0.hasSuffix("cover.png") }
            XCTAssertEqual(copies.count, 1)
            let copy = files.appending(path: copies[0])
            if let change, !change.isEmpty { try Data(change.utf8).write(to: copy) }
            if change == nil { try FileManager.default.removeItem(at: copy) }
            bench.server.sell()
            await outbox.sendPending()
            let note = try await outbox.entries(after: entry.id - 1).first?.note ?? ""
            XCTAssertEqual(bench.server.count, fault.isEmpty ? 21 : 20)
            XCTAssertTrue(note.isEmpty || note.contains("cover.png of the body \(fault)"), note)
            XCTAssertFalse(note.contains("/"), note)
        }
    }

    /// An app that ended after `add` adds the same request under the same key again, after it was sent.
    func testTheSameRequestHasTheSameBytes() async throws {
        let bench = try Bench()
        for _ in 0..<20 {
            let outbox = try bench.outbox()
            try await outbox.add(PostSale(sku: "a"), key: "sale-1")
            await outbox.sendPending()
        }
        XCTAssertEqual(bench.server.count, 20)
        XCTAssertEqual(Set(bench.server.received.now.map(\.body)).count, 1)
    }

    func testAnAttachmentIsACopyThatIsDeletedWithItsEntry() async throws {
        let bench = try Bench()
        let outbox = try bench.outbox(kinds: [covers(bench)])
        let cover = try bench.folder.file("cover.png", Data("image".utf8))
        try await outbox.add(PostCover(sku: "a", cover: OutboxAttachment(cover)))
        let removed = try await outbox.add(PostCover(sku: "b", cover: OutboxAttachment(cover)))
        // The app edits its file in place, and then removes it.
        let handle = try FileHandle(forWritingTo: cover)
        try handle.write(contentsOf: Data("EDITED".utf8))
        try FileManager.default.removeItem(at: cover)
        try await outbox.remove(removed.id)
        await outbox.sendPending()
        let text = bench.server.received.now.map(\.text)
        XCTAssertEqual(text.count, 1)
        XCTAssertTrue(text[0].contains("filename=\"cover.png\""), text[0])
        XCTAssertTrue(text[0].contains("\r\n\r\nimage\r\n"), text[0])
        let files = URL(filePath: bench.file.path + ".files")
        XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: files.path), [])
    }

    func testAttachmentsCountForTheLimit() async throws {
        let bench = try Bench()
        var limits = OutboxLimits()
        limits.bytes = 10_000
        let outbox = try bench.outbox(limits: limits, kinds: [covers(bench)])
        let cover = try bench.folder.file("cover.png", Data(count: 9000))
        try await outbox.add(PostCover(sku: "a", cover: OutboxAttachment(cover)))
        await assertRefused(.full) { try await outbox.add(PostCover(sku: "b", cover: OutboxAttachment(cover))) }
        await outbox.sendPending()
        try await outbox.add(PostCover(sku: "c", cover: OutboxAttachment(cover)))
    }

    /// An add that was killed leaves a folder that belongs to no entry.
    func testFilesWithoutAnEntryAreRemovedAfterADay() async throws {
        let bench = try Bench()
        let outbox = try bench.outbox(kinds: [covers(bench)])
        bench.server.fail(.connection(.refused))
        let cover = try bench.folder.file("cover.png", Data("image".utf8))
        try await outbox.add(PostCover(sku: "a", cover: OutboxAttachment(cover)))
        let files = URL(filePath: bench.file.path + ".files")
        let own = try FileManager.default.contentsOfDirectory(atPath: files.path)
        for name in ["old", "new"] {
            try FileManager.default.createDirectory(at: files.appending(path: name), withIntermediateDirectories: false)
        }
        for name in own + ["old"] {
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: -90_000)], ofItemAtPath: files.appending(path: name).path
            )
        }
        await outbox.sendPending()
        XCTAssertEqual(Set(try FileManager.default.contentsOfDirectory(atPath: files.path)), Set(own + ["new"]))
    }

    func testALargeResponseIsKeptForTheNextTryOfTheHandler() async throws {
        struct Large: NetworkRequest, Codable {
            typealias ValueType = String
            var path: RequestPath { "sales" }
            var method: HTTPMethod { .post }
        }
        struct Failure: Error {}
        let text = String(repeating: "large ", count: 500_000)
        for keepsFiles in [true, false] {
            let bench = try Bench()
            let fails = Kept(true)
            let kind = OutboxKind("large", Large.self) { [handled = bench.handled] reply in
                handled.add(
                    (try? reply.result.get()) == text
                        ? "whole" : Bench.text(reply.result.map { _ in Receipt(number: 0) }))
                if fails.now { throw Failure() }
            }
            bench.server.respond(200, ["Content-Type": "text/plain"], body: text)
            let outbox = try bench.outbox(kinds: [kind])
            let entry = try await outbox.add(Large())
            let files = URL(filePath: bench.file.path + ".files")
            // A file in the place of the folder.
            if !keepsFiles { try Data().write(to: files) }
            await outbox.sendPending()
            fails.set(false)
            try await (bench.outbox(kinds: [kind])).sendPending()
            XCTAssertEqual(bench.handled.now, ["whole", keepsFiles ? "whole" : "lost"])
            XCTAssertEqual(bench.server.count, 1)
            assertEqual(try await outbox.entries(after: entry.id - 1), [])
            if keepsFiles { XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: files.path), []) }
        }
    }

    /// The handler gets what is stored, the first time, too.
    func testOnlySafeHeaderFieldsAreKept() async throws {
        let bench = try Bench()
        let fields = Kept<[[String]]>([])
        let fails = Kept(true)
        let kind = bench.sales { reply in
            fields.add(reply.response?.headers.map { "\($0.name): \($0.value)" } ?? [])
            if fails.now { throw CancellationError() }
        }
        bench.server.respond(
            201,
            [
                "Content-Type": "application/json", "Location": "/sales/7", "ETag": "\"1\"", "Set-Cookie": "a=secret",
                "X-Token": "secret", "Content-Location": "https://shop.test/sales?token=secret", "X-Other": "1",
                "Link": "</next?token=secret>; rel=next",
            ], body: "{\"number\": 7}")
        let outbox = try bench.outbox(kinds: [kind])
        try await outbox.add(PostSale(sku: "a"))
        await outbox.sendPending()
        fails.set(false)
        try await (bench.outbox(kinds: [kind])).sendPending()
        let expected = ["Content-Type: application/json", "ETag: \"1\"", "Location: /sales/7"]
        XCTAssertEqual(fields.now.map { $0.sorted() }, [expected, expected])
    }

    func testALocationWithACodeOrWithoutAURLIsNotKept() async throws {
        let bench = try Bench()
        let fields = Kept<[String?]>([])
        let outbox = try bench.outbox(kinds: [bench.sales { fields.add($0.response?.headers["Location"]) }])
        for location in ["/done?code=SplxlOBeZQQYbYS6WxSbIA", "/done#access_token=x", "token x", "/sales/7?page=2"] {
            bench.server.respond(201, ["Location": location], body: "{\"number\": 7}")
            try await outbox.add(PostSale(sku: "a"))
            await outbox.sendPending()
        }
        XCTAssertEqual(fields.now, [nil, nil, nil, "/sales/7?page=2"])
    }

    /// A kept response is refused again for its type, even if the request could read it.
    func testAResponseOfAnotherTypeStaysRefused() async throws {
        struct Note: NetworkRequest, Codable {
            typealias ValueType = String
            var path: RequestPath { "sales" }
            var method: HTTPMethod { .post }
            var options: RequestOptions { RequestOptions(expectedType: "text/plain") }
        }
        let bench = try Bench()
        bench.server.respond(200, ["Content-Type": "application/pdf"], body: "%PDF")
        let kind = OutboxKind("note", Note.self) { [handled = bench.handled] reply in
            handled.add(Bench.text(reply.result.map { _ in Receipt(number: 0) }))
        }
        let outbox = try bench.outbox(kinds: [kind])
        try await outbox.add(Note())
        await outbox.sendPending()
        XCTAssertEqual(bench.handled.now, ["unreadable"])
    }
}
