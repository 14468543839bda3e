import RecordKitJSON
import RecordKit
import RecordKitTesting
import TestSupport
import XCTest

@testable import RecordInventory

/// The messages and exit codes of the tool for faults of the server.
final class ServerFaultTests: TimedTestCase {
    private static let commands = [
        ["list"], ["show", "A"], ["sell", "A", "--payment", "card"], ["edit", "A", "--notes", "n"],
        ["delete", "A", "--yes"],
        ["export", "-"], ["add", "--sku", "A", "--artist", "B", "--title", "C", "--price", "1", "--currency", "EUR"],
    ]

    /// - Parameter includesAdd: Whether `add` has the same outcome. Its first request is the change itself, which the
    /// server may have received.
    private func expect(
        _ exitCode: ExitCode, _ said: String, from answer: StubResponse, includesAdd: Bool = true,
        line: UInt = #line
    ) async throws {
        let server = try LoopbackServer(responses: [answer])
        let till = try Till(server: server)
        let file = try till.file("A,B,C,1,EUR")
        let copy = till.folder.path("copy.csv")
        let commands = Self.commands.map { $0 == ["export", "-"] ? ["export", copy] : $0 } + [["import", file]]
        for command in commands where includesAdd || command[0] != "add" {
            let outcome = await till.type(command, timeout: .seconds(1))
            XCTAssertEqual(outcome.exitCode, exitCode, "\(command): \(outcome.messages)", line: line)
            XCTAssertTrue(
                outcome.messages.contains(said.replacing("PORT", with: "\(server.port)")),
                "\(command): \(outcome.messages)", line: line)
            XCTAssertEqual(outcome.results, "", "\(command)", line: line)
        }
        server.stop()
    }

    func testPressureIsRateLimited() async throws {
        try await expect(.rateLimited, "try again in 30 s", from: .status(429, headers: ["Retry-After": "30"]))
        try await expect(.rateLimited, "try again later", from: .status(429))
        try await expect(
            .rateLimited, "try again after Fri, 31 Dec 2027 23:59:59 GMT",
            from: .status(503, headers: ["Retry-After": "Fri, 31 Dec 2027 23:59:59 GMT"]), includesAdd: false)
    }

    func testAServerThatIsBusyForAMomentIsAskedAgain() async throws {
        let server = try LoopbackServer(responses: [
            .status(503, headers: ["Retry-After": "0"]), .reset, .json(#"{"data":[]}"#),
        ])
        try await Till(server: server).type("export", "-").expect(.done)
        XCTAssertEqual(server.requests.count, 3)
    }

    func testAServerThatIsBusyForLongerIsNotWaitedFor() async throws {
        let server = try LoopbackServer(responses: [.status(503, headers: ["Retry-After": "6"])])
        try await Till(server: server).type("list").expect(.rateLimited)
        XCTAssertEqual(server.requests.count, 1)
    }

    func testVerboseTellsEachAttemptAndWhatTheServerSays() async throws {
        let server = try LoopbackServer(responses: [
            .status(503, headers: ["Retry-After": "0"]),
            .status(
                200, headers: ["Content-Type": "application/json", "Alert": "soft\u{1B}-eol"],
                body: Data(#"{"data":[]}"#.utf8)),
        ])
        let outcome = try await Till(server: server).type("list", "--verbose")
        outcome.expect(.done, ": 503, 0 bytes", "(attempt 2): 200, 11 bytes", "The server says: soft")
        XCTAssertFalse(outcome.messages.contains("\u{1B}"), outcome.messages)
    }

    func testFaultsOfTheServerAreToldAsItTellsThem() async throws {
        try await expect(
            .failed, "the server responded with 500: Internal Server Error: oops",
            from: .json(#"{"code":500,"errno":999,"error":"Internal Server Error","message":"oops"}"#, status: 500))
        try await expect(
            .failed, "A proxy in front of Kinto failed and responded with", from: .text("down", status: 503),
            includesAdd: false)
        let problem = #"{"title": "Maintenance", "detail": "back\u001B[2J at 5"}"#
        try await expect(
            .failed, "(\"back·[2J at 5\").",
            from: .status(502, headers: ["Content-Type": "application/problem+json"], body: Data(problem.utf8)),
            includesAdd: false)
    }

    /// The limit of the server is that of the batch which it refused.
    func testABatchThatIsRefusedIsNotSentAgainAndAgain() async throws {
        let server = try LoopbackServer { (request: LoopbackRequest) in
            request.method == .get
                ? .json(#"{"settings":{"batch_max_requests":25}}"#) : .json(#"{"code":400}"#, status: 400)
        }
        let outcome = try await withTimeLimit { try await Till(server: server).type("sell", "A", "--payment", "card") }
        XCTAssertEqual(outcome.exitCode, .failed, outcome.messages)
        XCTAssertEqual(server.requests.count, 2, outcome.messages)
    }

    func testWhoMayNotIsNotAllowed() async throws {
        try await expect(
            .notAllowed, "RECORD_INVENTORY_USER", from: .status(401, headers: ["WWW-Authenticate": "Basic realm=\"x\""])
        )
        try await expect(.notAllowed, "this account may not do that", from: .text("no", status: 403))
    }

    func testAnotherServerIsNotTakenForAnEmptyShop() async throws {
        let said = "this is no response of a Kinto server"
        for status in [404, 409, 412] { try await expect(.failed, said, from: .text("no", status: status)) }
        for answer in [StubResponse.text("<html>"), .json(#"{"data":null}"#), .status(200)] {
            try await expect(.failed, said, from: answer, includesAdd: false)
        }
        let tooLarge = "a proxy in front of Kinto refuses a request of this size"
        try await expect(.failed, tooLarge, from: .text("no", status: 413))
    }

    func testNoAnswerNamesHostAndPort() async throws {
        try await expect(.network, "127.0.0.1:PORT did not respond in full within 1.0 s", from: .never)
        try await expect(.network, "127.0.0.1:PORT", from: .reset)
        let server = try LoopbackServer(responses: [.never])
        let till = try Till(server: server)
        server.stop()
        for command in [["list"], Self.commands[6]] {
            let outcome = await till.type(command)
            outcome.expect(.network, "127.0.0.1:\(server.port) cannot be reached")
            XCTAssertFalse(outcome.messages.contains("may have been made"), outcome.messages)
        }
    }

    func testAChangeThatLostItsLockIsToldOf() async throws {
        let batch =
            #"{"responses":[{"status":403,"headers":{},"body":{"code":403,"errno":121}},"#
            + #"{"status":200,"headers":{},"body":\#(KintoReply.record)}]}"#
        let server = try LoopbackServer.kinto { request in .json(request.method == .get ? KintoReply.record : batch) }
        let till = try Till(server: server)
        for command in [["sell", "A", "--payment", "card"], ["edit", "A", "--notes", "n"], ["delete", "A", "--yes"]] {
            await till.type(command).expect(.failed, "the change was made, but")
        }
        await till.type(Self.commands[6]).expect(.done)
    }

    func testAConflictThatTellsOfAnotherRecordDoesNotChangeThatOne() async throws {
        func data(_ sku: String) -> String {
            #"{"id":"\#(sku)","last_modified":7,"sku":"\#(sku)","artist":"B","title":"C","quantity":2,"#
                + #""status":"for_sale","price":{"amount":1,"currency":"EUR"}}"#
        }
        let record = #"{"permissions":{"write":["account:shop"]},"data":\#(data("A"))}"#
        let batch =
            #"{"responses":[{"status":201,"headers":{},"body":{}},{"status":412,"headers":{},"#
            + #""body":{"code":412,"errno":114,"details":{"existing":\#(data("OTHER"))}}}]}"#
        let server = try LoopbackServer.kinto { request in .json(request.method == .get ? record : batch) }
        try await Till(server: server).type("sell", "A", "--payment", "card").expect(.conflict)
        XCTAssertTrue(server.requests.contains { $0.text.contains("records/A") })
        XCTAssertFalse(server.requests.contains { $0.text.contains("records/OTHER") })
    }

    func testAnImportThatBreaksOffSaysHowFarItCame() async throws {
        let server = try LoopbackServer.kinto(answers: [
            .json(#"{"settings":{"batch_max_requests":2}}"#),
            .json(KintoReply.batch(KintoReply.lock, KintoReply.made)), .reset,
        ])
        let till = try Till(server: server)
        let file = try till.file("A,B,C,1,EUR", "B,B,C,1,EUR")
        let outcome = await till.type(["import", file], timeout: .seconds(1))
        outcome.expect(
            .network, "not finished: 1 created, 0 updated, 0 unchanged, 0 rejected so far; import the file again")
        XCTAssertEqual(outcome.results, "")
    }

    func testAPageThatNamesItselfAsTheNextEnds() async throws {
        let server = try LoopbackServer(responses: [
            .status(
                200,
                headers: ["Content-Type": "application/json", "Next-Page": "http://elsewhere.test/v1/?_token=same"],
                body: Data(#"{"data":[]}"#.utf8))
        ])
        let outcome = try await withTimeLimit { try await Till(server: server).type("export", "-") }
        outcome.expect(.failed, "the list would never end")
        XCTAssertEqual(server.requests.count, 2)
    }
}
