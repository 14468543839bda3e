import Foundation
import RecordKit
import RecordKitInterceptors
import RecordKitOutbox
import RecordKitTesting
import TestSupport
import XCTest

final class OutboxExampleTests: TimedTestCase {
    /// A till sells while its server is down, ends, and starts again when the server is up.
    func testATillThatSellsOffline() async throws {
        let folder = try TemporaryFolder()
        let book = OutboxExamples.Book()
        let server = Kept<LoopbackServer?>(try LoopbackServer(responses: [.status(503)]))
        let address = try XCTUnwrap(server.now?.url.absoluteString)
        let (outbox, running) = try OutboxExamples.till(
            NetworkSession(environment: NetworkEnvironment(address)), book, in: folder.url)
        try await OutboxExamples.sell(outbox)
        _ = try await server.now?.request(at: 0)
        running.cancel()
        await running.value

        let next = try LoopbackServer(responses: [.json(#"{"number": 7}"#, status: 201)])
        await book.sell(OutboxExamples.PostSale(sku: "LP-0001", copies: 2), "own")
        let (again, sending) = try OutboxExamples.till(
            NetworkSession(environment: NetworkEnvironment(next.url.absoluteString)), book, in: folder.url)
        try await OutboxExamples.addAgain(book, again)
        try await OutboxExamples.addAgain(book, again)
        _ = try await next.request(at: 1)
        while await book.receipts.count < 2 { await Task.yield() }
        sending.cancel()
        await sending.value
        XCTAssertEqual(next.requests.map(\.path), ["/sales", "/sales"])
        XCTAssertEqual(next.requests.last?.header("Idempotency-Key"), "own")
        assertEqual(await book.refused, [])
        assertEqual(await again.status(), OutboxStatus())
    }

    func testTheTestOfThePage() async throws {
        let folder = try TemporaryFolder()
        let (offline, online, receipts) = try await OutboxExamples.test(in: folder.url)
        XCTAssertEqual(offline.pause, .noConnection)
        XCTAssertEqual(online, OutboxStatus())
        XCTAssertEqual(receipts, ["sale-1": 7])
    }

    @MainActor
    func testCommentsOfAnAccount() async throws {
        let folder = try TemporaryFolder()
        let stub = StubServer()
        stub.respond(to: "POST /articles/1/comments", with: .refused)
        let tokens = TokenSource { _ in throw URLError(.unknown) }
        let comments = try OutboxExamples.Comments(NetworkSession(stub.configuration), in: folder.url, user: "ann")
        let running = Task { await comments.run() }
        try await comments.post(OutboxExamples.PostComment(article: 1, text: "Fine"))
        while comments.unsent.isEmpty { await Task.yield() }
        try await comments.signOut(tokens)
        while !comments.unsent.isEmpty { await Task.yield() }
        try await comments.signIn("ann", TokenSet("a"), tokens)
        while comments.unsent.isEmpty { await Task.yield() }
        XCTAssertEqual(comments.unsent.map(\.text), ["Fine"])
        await comments.becomeActive()
        running.cancel()
        await running.value
    }
}
