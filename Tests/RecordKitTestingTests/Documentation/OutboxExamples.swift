import Foundation
import RecordKit
import RecordKitInterceptors
import RecordKitOutbox
import RecordKitTesting

// The snippets of the articles on requests that are sent later.

enum OutboxExamples {
    nonisolated struct Receipt: Decodable {
        let number: Int
    }

    /// The app's own records of its sales.
    actor Book {
        private(set) var receipts: [String: Int] = [:]
        private(set) var refused: [String] = []
        private var sales: [String: PostSale] = [:]

        func sell(_ request: PostSale, _ key: String) { sales[key] = request }
        func settle(_ key: String, _ receipt: Int) throws { receipts[key] = receipt }
        func flag(_ key: String, _ error: NetworkError) throws { refused.append(key) }

        func unsettled() throws -> [(key: String, request: PostSale)] {
            sales.filter { receipts[$0.key] == nil }.map { ($0.key, $0.value) }
        }
    }

    struct PostSale: NetworkRequest, Codable {
        typealias ValueType = Receipt

        let sku: String
        let copies: Int

        var path: RequestPath { "sales" }
        var method: HTTPMethod { .post }
        var body: [String: Int] { [sku: copies] }
    }

    struct PostComment: NetworkRequest, Codable {
        typealias ValueType = Void

        let article: Int
        let text: String

        var path: RequestPath { "articles/\(article)/comments" }
        var method: HTTPMethod { .post }
        var body: [String: String] { ["text": text] }
    }

    struct PostCover: NetworkRequest, Codable {
        typealias ValueType = Void

        let sku: String
        let cover: OutboxAttachment

        var path: RequestPath { "covers/\(sku)" }
        var method: HTTPMethod { .post }
        var body: FileBody { FileBody(cover.url, contentType: "image/jpeg") }
    }

    static func till(_ network: NetworkSession, _ book: Book, in folder: URL) throws -> (Outbox, Task<Void, Never>) {
        let outbox = try Outbox(
            file: folder.appending(path: "sales.sqlite"), client: network,
            kinds: [
                OutboxKind("sale", PostSale.self) { reply in
                    switch reply.result {
                    case .success(let receipt):
                        try await book.settle(reply.entry.key, receipt.number)
                    case .failure(let error):
                        try await book.flag(reply.entry.key, error)
                    }
                }
            ])
        let running = Task { await outbox.run() }
        return (outbox, running)
    }

    static func sell(_ outbox: Outbox) async throws {
        try await outbox.add(PostSale(sku: "LP-0042", copies: 1))
    }

    static func post(_ comment: PostComment, _ outbox: Outbox) async throws {
        try await outbox.add(comment, lane: "article \(comment.article)")
    }

    static func addAgain(_ book: Book, _ outbox: Outbox) async throws {
        for sale in try await book.unsettled() {
            try await outbox.add(sale.request, key: sale.key)
        }
    }

    /// Returns the statuses before and after the connection is back, and the receipts.
    static func test(in folder: URL) async throws -> (OutboxStatus, OutboxStatus, [String: Int]) {
        let clock = ManualClock()
        let stub = StubServer(clock: clock.networkClock)
        stub.respond(
            to: "POST /sales",
            with: .refused, .json(#"{"number": 7}"#, status: 201))
        let settled = Book()
        let outbox = try Outbox(
            file: folder.appending(path: "sales.sqlite"),
            client: NetworkSession(stub.configuration),
            kinds: [
                OutboxKind("sale", PostSale.self) { reply in
                    try await settled.settle(
                        reply.entry.key, reply.result.get().number)
                }
            ], clock: clock.networkClock)

        try await outbox.add(
            PostSale(sku: "LP-0042", copies: 1), key: "sale-1")
        let offline = await outbox.sendPending()  // .noConnection
        clock.advance(by: .seconds(1))
        let online = await outbox.sendPending()  // nothing is left
        return (offline, online, await settled.receipts)
    }
}

extension OutboxExamples {
    @MainActor final class Comments {
        private(set) var unsent: [PostComment] = []
        private let outbox: Outbox

        init(
            _ network: NetworkSession, in folder: URL, user: String?
        ) throws {
            outbox = try Outbox(
                file: folder.appending(path: "comments.sqlite"), client: network,
                kinds: [OutboxKind("comment", PostComment.self) { _ in }],
                account: user)
        }

        func post(_ comment: PostComment) async throws {
            try await outbox.add(comment, lane: "article \(comment.article)")
        }

        /// `.task { await comments.run() }` of the app's first view.
        func run() async {
            async let sending: Void = outbox.run()
            for await _ in outbox.changes {
                let pending = try? await outbox.pending(PostComment.self)
                unsent = pending?.map(\.request) ?? []
            }
            await sending
        }

        func becomeActive() async {
            await outbox.wake()
        }

        func signIn(
            _ user: String, _ token: TokenSet, _ tokens: TokenSource
        ) async throws {
            try await tokens.use(token)
            await outbox.use(account: user)
        }

        func signOut(_ tokens: TokenSource) async throws {
            // No call of this user is in flight after it.
            await outbox.use(account: nil)
            try await tokens.signOut()
        }
    }
}
