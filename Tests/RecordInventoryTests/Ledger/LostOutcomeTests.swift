import RecordKit
import RecordKitJSON
import TestSupport
import XCTest

@testable import RecordInventory

/// What the tool reports after a lost response, on the embedded store and on a live Kinto.
final class LostOutcomeTests: TimedTestCase {
    func testEmbedded() async throws {
        let folder = try TemporaryFolder()
        let transport = EmbeddedTransport(EmbeddedStore(file: folder.url.appending(path: "stock.sqlite")))
        try await check(NetworkConfiguration(over: transport))
    }

    func testKinto() async throws {
        guard let kinto = try LiveKinto.find(for: "lost responses", needsTransactions: true) else { return }
        try await check(kinto.network)
    }

    /// A server without transactions that refuses a part of a sale. The other part isn't sold a second time.
    func testASaleThatWasMadeInPartIsReported() async throws {
        let till = try Till()
        for sku in ["A", "B"] { _ = await till.add(sku, "--quantity", "5") }
        let embedded = till.transport
        let partly = CannedTransport { call throws(NetworkError) in
            guard let body = call.body,
                String(decoding: try await body.data(), as: UTF8.self).contains(#""kind":"sale""#)
            else { return try await embedded.exchange(call) }
            var response = try await embedded.exchange(call)
            let parts = String(decoding: response.body, as: UTF8.self).components(separatedBy: #"{"status":"#)
            let refusal = #"412,"path":"","headers":{},"body":{"code":412,"errno":114}}"#
            let text = parts.map { part in
                part.contains("/records/records/B") ? refusal + (part.hasSuffix("]}") ? "]}" : ",") : part
            }.joined(separator: #"{"status":"#)
            response.content = .data(Data(text.utf8))
            return response
        }
        await till.type(["sell", "A", "B"], over: partly).expect(.partlyDone)
        assertEqual(await till.type("list", "--fields", "sku,quantity").rows, [["A", "4"], ["B", "4"]])
    }

    /// An object that another program made has the version that a sale needs.
    func testATakenVersionIsReleased() async throws {
        let till = try Till()
        _ = await till.add("A", "--quantity", "5")
        let record = try await Stock(over: till.transport).fetch(SKU("A"))
        try await till.send(.put, "movements/slot-of-another", ["last_modified": .integer(record.version.milliseconds)])
        await till.type("sell", "A").expect(.done)
    }

    /// The connection breaks before the server reads the sale. The lost request arrives later.
    func testASaleThatIsKnownNotToBeMadeIsSentAgain() async throws {
        let till = try Till()
        for sku in ["A", "B"] { _ = await till.add(sku, "--quantity", "5") }
        let losing = LosingTransport(till.transport, [.lostRequest])
        await till.type(
            ["sell", "A", "B", "--id", "S"], asksWhatWasMade: true, patience: .seconds(60), over: losing
        ).expect(.done)
        try await losing.deliver()
        assertEqual(await till.type("list", "--fields", "sku,quantity").rows, [["A", "4"], ["B", "4"]])
        let silent = await till.type("doctor", "--dry-run")
        XCTAssertTrue(silent.messages.contains("Every quantity is the sum"), silent.messages)
    }

    private struct Outcome {
        let failure: CommandFailure?
        let messages: String
    }

    /// Runs a command on a stock whose next change meets a fault.
    private func run(
        _ command: any Command, _ network: NetworkConfiguration, _ fault: LosingTransport.Fault?, _ bucket: String,
        asks: Bool = true, input: String = ""
    ) async throws -> Outcome {
        var network = network
        let losing = LosingTransport(network.transport, fault.map { [$0] } ?? [])
        network.transport = losing
        var stock = Stock(network, bucket: bucket)
        stock.questionDelays = asks ? [.zero] : []
        let messages = Transcript()
        let console = Console(results: Transcript().output(), messages: messages.output(), input: .texts(input))
        let context = CommandContext(
            stock: stock, place: .server("http://127.0.0.1"), reporter: Reporter(console, for: stock))
        do {
            _ = try await context.run(command)
            if command is TillCommand { try await losing.deliver() }
            return Outcome(failure: nil, messages: messages.text)
        } catch let failure as CommandFailure {
            // What was told must stay true, also if the request arrives after all.
            try await losing.deliver()
            return Outcome(failure: failure, messages: failure.message)
        }
    }

    private func check(_ network: NetworkConfiguration) async throws {
        let bucket = "lost-\(UUID().uuidString.lowercased())"
        let stock = Stock(network, bucket: bucket)
        let (a, b) = (try SKU("A"), try SKU("B"))
        for sku in ["A", "B"] { _ = try await stock.create(try StockContract.record(sku, quantity: 50)) }
        var expected = 50
        for (index, fault) in LosingTransport.Fault.allCases.enumerated() {
            for codes in [[a], [a, b]] {
                var move = CopyMove(kind: .sale, lines: codes.map { CopyLine(code: $0) })
                move.id = "sale-\(index)-\(codes.count)"
                let lost = try await run(SellCommand(move: move), network, fault, bucket)
                if fault == .lostRequest {
                    XCTAssertEqual(lost.failure?.exitCode, .network, lost.messages)
                    XCTAssertTrue(lost.messages.contains("The change was not made"), lost.messages)
                    let second = try await run(SellCommand(move: move), network, fault, bucket)
                    XCTAssertTrue(second.messages.contains("The change was not made"), second.messages)
                } else {
                    XCTAssertNil(lost.failure, "\(fault): \(lost.messages)")
                    XCTAssertTrue(lost.messages.contains("Sold 1 of A"), lost.messages)
                    XCTAssertTrue(lost.messages.contains("says that the change was made"), lost.messages)
                    expected -= 1
                }
                assertEqual(try await stock.fetch(a).record.quantity, expected, "\(fault)")
                let again = try await run(SellCommand(move: move), network, nil, bucket)
                XCTAssertNil(again.failure, again.messages)
                if fault == .lostRequest { expected -= 1 }
                XCTAssertEqual(again.messages.contains("Nothing was done again"), fault != .lostRequest, again.messages)
                assertEqual(try await stock.fetch(a).record.quantity, expected, "\(fault)")
            }
        }
        for fault in LosingTransport.Fault.allCases {
            for asks in [true, false] {
                // The assistant repeats the sale, even if the till advises against it.
                let till = TillCommand(payment: "cash")
                let lost = try await run(till, network, fault, bucket, asks: asks, input: "A\nB\npay\npay\n")
                XCTAssertNil(lost.failure, "\(fault): \(lost.messages)")
                expected -= 1
                let left = [try await stock.fetch(a).record.quantity, try await stock.fetch(b).record.quantity]
                XCTAssertEqual(left[0], expected, "\(fault), asks \(asks): \(lost.messages)")
                XCTAssertEqual(lost.messages.contains("This till finds out"), !asks, lost.messages)
            }
        }
        for (index, fault) in LosingTransport.Fault.allCases.enumerated() {
            let sku = try SKU("NEW-\(index)")
            let fields = ["sku": sku.text, "artist": "A", "title": "T", "price": "1", "currency": "EUR"]
            let changes = try fields.map { FieldChange(field: try RecordField(named: $0), text: $1) }
            for command in [
                AddCommand(changes: changes), EditCommand(code: sku, changes: [FieldChange(field: .notes, text: "n")]),
                CountCommand(target: .record(sku, 7)), DeleteCommand(code: sku, isConfirmed: true),
            ] as [any Command] {
                let lost = try await run(command, network, fault, bucket)
                XCTAssertEqual(
                    lost.failure?.exitCode, fault == .lostRequest ? .network : nil, "\(command): \(lost.messages)")
                if fault == .lostRequest {
                    let again = try await run(command, network, nil, bucket)
                    XCTAssertNil(again.failure, again.messages)
                }
            }
            assertNil(try await stock.find(sku))
        }
        // Only a command that has the option is told to use it.
        for (command, advice, hasID) in [
            (RestockCommand(move: CopyMove(kind: .restock, lines: [CopyLine(code: a)])), "With `--id ", true),
            (CountCommand(target: .record(a, 7)), "Or type the same count again", false),
            (UndoCommand(id: "sale-0-2"), "check with `history A`", false),
        ] as [(any Command, String, Bool)] {
            let lost = try await run(command, network, .lostRequest, bucket, asks: false)
            XCTAssertTrue(lost.messages.contains(advice), lost.messages)
            XCTAssertEqual(lost.messages.contains("--id"), hasID, lost.messages)
        }
        assertEqual(try await stock.differences(), [])
    }
}
