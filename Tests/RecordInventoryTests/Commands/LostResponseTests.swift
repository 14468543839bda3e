import RecordKitJSON
import RecordKit
import RecordKitTesting
import TestSupport
import XCTest

@testable import RecordInventory

/// The messages of the tool for a change whose response was lost.
final class LostResponseTests: TimedTestCase {
    private static let new = ["add", "--artist", "B", "--title", "C", "--price", "1", "--currency", "EUR"]
    private static let commands = [
        ["sell", "A", "--payment", "card"], ["edit", "A", "--notes", "n"], ["delete", "A", "--yes"],
        new + ["--sku", "A"],
    ]

    private func expectLost(
        _ answer: StubResponse, to commands: [[String]] = commands, timeout: Duration? = nil, line: UInt = #line
    ) async throws {
        let server = try LoopbackServer.kinto { $0.method == .get ? .json(KintoReply.record) : answer }
        let till = try Till(server: server)
        for command in commands {
            let outcome = await till.type(command, timeout: timeout)
            XCTAssertEqual(outcome.exitCode, .network, "\(command): \(outcome.messages)", line: line)
            XCTAssertTrue(
                outcome.messages.contains("may have been made anyway: check with `history A` before you try again"),
                outcome.messages, line: line)
            XCTAssertFalse(outcome.messages.contains("refused"), outcome.messages, line: line)
        }
        XCTAssertEqual(server.requests.count { $0.isChange }, commands.count, "each is sent once", line: line)
        assertEqual(await till.type("show", "A").exitCode, .done, line: line)
    }

    func testNoAnswerAtAll() async throws {
        try await expectLost(.reset)
        try await expectLost(.never, to: [Self.commands[0]], timeout: .seconds(1))
        try await expectLost([.send("nonsense\r\n\r\n"), .close], to: [Self.commands[0]])
    }

    func testAGatewayThatGaveUp() async throws {
        for status in [502, 503, 504] { try await expectLost(.text("<html>", status: status)) }
        try await expectLost(.json(#"{"code":504,"message":"upstream"}"#, status: 504))
        try await expectLost(.status(503, headers: ["Retry-After": "30"], body: Data("<html>".utf8)))
    }

    func testKintoItselfThatIsBusyHasChangedNothing() async throws {
        let busy = StubResponse.status(
            503, headers: ["Content-Type": "application/json", "Retry-After": "30"],
            body: Data(#"{"code":503,"errno":201,"error":"Service Unavailable"}"#.utf8))
        let server = try LoopbackServer.kinto { $0.method == .get ? .json(KintoReply.record) : busy }
        let till = try Till(server: server)
        for command in Self.commands {
            await till.type(command).expect(.rateLimited, "the server asks to wait: try again in 30 s")
        }
    }

    func testAnAnswerThatCannotBeRead() async throws {
        try await expectLost(.text("<html>"))
        try await expectLost(.json(#"{"responses":[]}"#))
        try await expectLost(.json(#"{"responses":[{"status":200,"headers":{},"body":{}}]}"#))
    }

    func testAnAnswerThatIsTooLong() async throws {
        let server = try LoopbackServer.kinto(answers: [.text(String(repeating: "x", count: 1_000))])
        let network = NetworkConfiguration(
            environment: NetworkEnvironment(server.url.absoluteString), options: RequestOptions(sizeLimit: 500))
        let record = try StockContract.record("A")
        do {
            var stock = Stock(network, bucket: "shop")
            stock.questionDelays = []
            _ = try await stock.create(record)
            XCTFail("the response was read")
        } catch InventoryError.unanswered(.tooLarge, _) {}
    }

    func testAMoveOfCashIsMadeOnceByItsID() async throws {
        let server = try LoopbackServer.kinto { request in
            if request.method == .put { return .reset }
            if request.path.hasSuffix("/collections/records/records") {
                return .json(#"{"data":[{"price":{"currency":"EUR"}}]}"#)
            }
            if request.path.hasSuffix("/collections/records") { return .json(#"{"data":{}}"#) }
            return request.path.hasSuffix("/records")
                ? .json(#"{"data":[]}"#)
                : .json(#"{"code":404,"errno":110,"details":{"resource_name":"record"}}"#, status: 404)
        }
        let till = try Till(server: server)
        let advice = /`record-inventory drawer`, with `--id (\d{6}-[A-Z0-9]{16}|D1)`, it is made once/
        for (command, input) in [
            (["drawer", "out", "4.50", "stamps", "--id", "D1"], nil), (["till"], "drawer out 4.50 stamps\n"),
        ] {
            let outcome = await till.type(command, input: input)
            XCTAssertNotNil(outcome.messages.firstMatch(of: advice), outcome.messages)
        }
    }

    func testAnImportIsToBeDoneAgain() async throws {
        let server = try LoopbackServer.kinto { request in
            request.method == .get ? .json(#"{"settings":{}}"#) : .text("<html>", status: 504)
        }
        let till = try Till(server: server)
        let outcome = await till.type("import", try till.file("A,B,C,1,EUR", "B,B,C,1,EUR"))
        outcome.expect(
            .network, "may have been made anyway: check before you try again", "so far; import the file again")
        XCTAssertFalse(outcome.messages.contains("look"), outcome.messages)
        XCTAssertFalse(outcome.messages.contains("refused"), outcome.messages)
    }

    func testARecordThatGotItsSKUFromTheToolIsNamed() async throws {
        let server = try LoopbackServer.kinto(answers: [.reset])
        let outcome = try await Till(server: server).type(Self.new)
        XCTAssertEqual(outcome.exitCode, .network)
        XCTAssertNotNil(
            outcome.messages.firstMatch(of: /check with `history [A-Z][A-Z2-9]{3}-[A-Z2-9]{4}`/), outcome.messages)
    }

    func testAnInterruptedChangeMayHaveBeenMade() async throws {
        for (command, isChange) in [
            (["list"], false), (["sell", "A", "--payment", "card"], true), (Self.new + ["--sku", "A"], true),
        ] {
            let server = try LoopbackServer.kinto { request in
                request.method == .get && command != ["list"] ? .json(KintoReply.record) : .never
            }
            let till = try Till(server: server)
            let run = Task { await till.type(command) }
            var index = 0
            if isChange { while try await !server.request(at: index).isChange { index += 1 } }
            _ = try await server.request(at: index)
            run.cancel()
            let outcome = await run.value
            XCTAssertEqual(outcome.exitCode, .interrupted, "\(command): \(outcome.messages)")
            if isChange {
                XCTAssertTrue(
                    outcome.messages.contains("may have been made anyway: check with `history A`"), outcome.messages)
            } else {
                XCTAssertEqual(outcome.messages, "")
            }
        }
    }

    func testAChangeThatIsInterruptedBeforeItIsSentWasNotMade() async throws {
        let server = try LoopbackServer.kinto(answers: [])
        let till = try Till(server: server)
        let command = Self.new + ["--sku", "A"]
        let (forever, _) = AsyncStream<Never>.makeStream()
        let run = Task {
            for await _ in forever {}
            return await till.type(command)
        }
        run.cancel()
        let outcome = await run.value
        XCTAssertEqual(outcome.exitCode, .interrupted)
        XCTAssertEqual(outcome.messages, "")
        XCTAssertEqual(server.requests.count, 0)
    }

    func testAnInterruptedChangeOfTheEmbeddedStoreWasNotMade() async throws {
        let till = try Till()
        _ = await till.add("A", "--quantity", "2")
        let interrupted = CannedTransport(over: till.transport, before: "If-Match") {
            withUnsafeCurrentTask { $0?.cancel() }
        }
        await Task { await till.type(["sell", "A", "--payment", "card"], over: interrupted) }.value.expect(.interrupted)
        assertEqual(await till.type("list", "--fields", "quantity").skus, ["2"])
    }
}
