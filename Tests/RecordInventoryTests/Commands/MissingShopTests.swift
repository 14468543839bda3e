import RecordKitJSON
import RecordKit
import RecordKitTesting
import TestSupport
import XCTest

@testable import RecordInventory

/// A shop that does not exist, or that the account may not use.
final class MissingShopTests: TimedTestCase {
    /// Kinto's response is the same for a record of another account and for a shop that does not exist.
    func testARowThatTheAccountMayNotWriteIsRejectedAndTheOthersCount() async throws {
        let forbidden = #"{"status":403,"headers":{},"body":{"code":403,"errno":121,"error":"Forbidden"}}"#
        let server = try LoopbackServer.kinto { request in
            guard request.method == .post else { return .json(#"{"settings":{}}"#) }
            return request.text.contains("records/A")
                ? .json(KintoReply.batch(KintoReply.lock, KintoReply.made, forbidden))
                : .json(KintoReply.batch(KintoReply.lock, forbidden))
        }
        let till = try Till(server: server)
        let outcome = await till.type("import", try till.file("A,B,C,1,EUR", "Z,B,C,1,EUR"))
        outcome.expect(.partlyDone, "(Z): this account may not write this record")
        XCTAssertTrue(outcome.results.contains("1 created, 0 updated, 0 unchanged, 1 rejected"), outcome.results)
        XCTAssertFalse(server.requests.contains { $0.method == .put }, "an existing shop is not created again")
    }

    /// As when another bucket is created in the same millisecond.
    func testABucketThatMeetsAnothersCreationIsCreatedAgain() async throws {
        final class MeetingTransport: NetworkTransport {
            let transport: any NetworkTransport
            let met = Kept(false)
            init(_ transport: any NetworkTransport) { self.transport = transport }
            func exchange(_ call: NetworkCall) async throws(NetworkError) -> NetworkResponse {
                guard !met.now, call.method == .put, call.url.path.hasSuffix("/buckets/shop") else {
                    return try await transport.exchange(call)
                }
                met.set(true)
                let body = #"{"code":409,"errno":122,"error":"Conflict"}"#
                return NetworkResponse(
                    statusCode: 409, headers: ["Content-Type": "application/json"], body: Data(body.utf8), url: call.url
                )
            }
        }
        let till = try Till()
        let meeting = MeetingTransport(till.transport)
        let command = ["add", "--sku", "A", "--artist", "B", "--title", "C", "--price", "1", "--currency", "EUR"]
        await till.type(command, over: meeting).expect(.done, "Added A.")
        XCTAssertTrue(meeting.met.now)
    }

    func testOnAServerItIsSaidHoweverQuiet() async throws {
        let server = try LoopbackServer { _ in .json(#"{"code":403,"errno":121,"error":"Forbidden"}"#, status: 403) }
        let empty = try Till()
        try empty.makeStore()
        for (till, isSaid) in [(try Till(server: server), true), (empty, false)] {
            for (command, results) in [
                (["list"], ""), (["list", "--json"], "[]\n"),
                (
                    ["import", try till.file("A,B,C,1,EUR"), "--dry-run"],
                    "Nothing was written. It would be: 1 created, 0 updated, 0 unchanged, 0 rejected\n"
                ),
            ] {
                let outcome = await till.type(command + ["--quiet"]).expect(.done)
                XCTAssertEqual(outcome.results, results, "\(command)")
                let said =
                    "record-inventory: there is no shop \"shop\" on \(server.url.absoluteString)/v1 yet, or this "
                    + "account may not use it; check the names\n"
                XCTAssertEqual(outcome.messages, isSaid ? said : "", "\(command)")
            }
        }
    }

    /// The sign-in page of a hotel's network is such a page.
    func testAPageIsNoAnswerWhereAShopIsMadeEither() async throws {
        let forbidden = #"{"code":403,"errno":121,"error":"Forbidden"}"#
        let server = try LoopbackServer { request in
            request.method == .put
                ? .status(200, headers: ["Content-Type": "text/html"], body: Data("<html>".utf8))
                : .json(forbidden, status: 403)
        }
        let outcome = try await Till(server: server).type(
            "add", "--artist", "B", "--title", "C", "--price", "1", "--currency", "EUR", "--sku", "A")
        outcome.expect(.failed, "this is no response of a Kinto server: 200")
    }
}
