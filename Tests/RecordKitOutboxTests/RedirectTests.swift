import RecordKit
import RecordKitCurl
import RecordKitInterceptors
import RecordKitOutbox
import RecordKitTesting
import TestSupport
import XCTest

/// Redirects and pages over real connections, with both transports.
final class RedirectTests: TimedTestCase {
    /// A request that lets its redirects be followed, or takes them for the response.
    struct PostOwn: NetworkRequest, Codable, Sendable {
        typealias ValueType = Void
        var follows: Bool
        var method: HTTPMethod { .post }
        var path: RequestPath { "sales" }
        var body: [String: String] { ["sku": "own"] }
        var options: RequestOptions { RequestOptions(redirects: follows ? .follow() : .never) }
    }

    struct GetStatus: NetworkRequest, Codable, Sendable {
        typealias ValueType = Receipt
        var path: RequestPath { "sales" }
    }

    private let transports: [(String, any NetworkTransport)] = [
        ("URLSession", URLSessionTransport()), ("libcurl", CurlTransport()),
    ]

    private func outbox(
        _ bench: Bench, _ server: LoopbackServer, _ transport: any NetworkTransport, _ options: RequestOptions
    ) throws -> Outbox {
        let handled = bench.handled
        let session = NetworkSession(
            NetworkEnvironment(server.url.absoluteString), transport: transport, options: options)
        return try bench.outbox(
            client: session,
            kinds: [
                bench.sales(),
                OutboxKind("own", PostOwn.self) {
                    handled.add("\($0.request.follows): \($0.response?.statusCode ?? 0)")
                },
                OutboxKind("status", GetStatus.self) { handled.add("get: \(Bench.text($0.result))") },
            ])
    }

    /// What a sale, a GET and requests with policies of their own make of a redirect.
    func testARedirectIsNoResponseToARequestUnlessItKeepsTheMethod() async throws {
        let other = try LoopbackServer(bodies: .kept) { request in
            .json("{\"number\": 8}", status: request.method == "GET" ? 200 : 201)
        }
        let elsewhere = other.url.appending(path: "other").absoluteString
        for (name, transport) in transports {
            for status in [301, 302, 303, 307, 308] {
                let bench = try Bench()
                let server = try LoopbackServer(bodies: .kept) { _ in .redirect(to: elsewhere, status: status) }
                let outbox = try outbox(bench, server, transport, RequestOptions())
                let before = other.requests.count
                let entry = try await outbox.add(PostSale(sku: "a"), lane: "1")
                try await outbox.add(PostOwn(follows: true), lane: "2")
                try await outbox.add(PostOwn(follows: false), lane: "3")
                try await outbox.add(GetStatus(), lane: "4")
                await outbox.sendPending()
                let keeps = status >= 307
                let sale = keeps ? ["a: 8"] : []
                XCTAssertEqual(
                    bench.handled.now.sorted(), sale + ["false: \(status)", "get: 8", "true: \(keeps ? 201 : 200)"],
                    "\(name), \(status)")
                let note = try await outbox.entries().first?.note ?? ""
                let host = other.url.host() ?? "?"
                XCTAssertEqual(note.contains("\(status), a redirect to \(host)"), !keeps, "\(note), \(name)")
                XCTAssertFalse(note.contains("/other"), note)
                // The key goes along, also to another origin.
                let keys = other.requests.dropFirst(before).filter { $0.method == "POST" }
                    .map { $0.header("Idempotency-Key") }
                XCTAssertEqual(keys.contains(entry.key), keeps, "\(name), \(status)")
            }
        }
    }

    func testAPolicyOfTheSessionRefusesARedirect() async throws {
        let other = try LoopbackServer(responses: [])
        for (name, transport) in transports {
            for policy in [RedirectPolicy.sameOrigin(), .never] {
                let bench = try Bench()
                let server = try LoopbackServer(bodies: .kept) { _ in
                    .redirect(to: other.url.absoluteString, status: 307)
                }
                let outbox = try outbox(bench, server, transport, RequestOptions(redirects: policy))
                try await outbox.add(PostSale(sku: "a"))
                assertEqual(await outbox.sendPending(), OutboxStatus(waiting: 1), name)
                XCTAssertEqual(bench.handled.now, [], name)
                XCTAssertEqual(other.requests.count, 0, name)
            }
        }
    }

    func testThePageOfAPortalIsNoResponse() async throws {
        for (name, transport) in transports {
            let bench = try Bench()
            let page = "<!doctype HTML><title>Sign in</title>"
            let server = try LoopbackServer(responses: [
                .status(200, headers: ["Content-Type": "text/html"], body: Data(page.utf8)),
                .json("{\"number\": 7}", status: 201),
            ])
            let outbox = try outbox(bench, server, transport, RequestOptions(expectedType: "application/json"))
            try await outbox.add(PostSale(sku: "a"))
            assertEqual(await outbox.sendPending(), OutboxStatus(waiting: 1), name)
            await outbox.wake()
            assertEqual(await outbox.sendPending(), OutboxStatus(), name)
            XCTAssertEqual(bench.handled.now, ["a: 7"], name)
        }
    }
}
