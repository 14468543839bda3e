import RecordKit
import RecordKitJSON
import TestSupport
import XCTest

@testable import RecordInventory

/// Parked baskets, sales without a record, and forgotten names, on the embedded store and on a live Kinto.
final class CounterTests: TimedTestCase {
    func testEmbedded() async throws {
        let folder = try TemporaryFolder()
        let transport = EmbeddedTransport(EmbeddedStore(file: folder.url.appending(path: "stock.sqlite")))
        try await check(NetworkConfiguration(over: transport))
    }

    func testKinto() async throws {
        guard let kinto = try LiveKinto.find(for: "the counter", needsTransactions: true) else { return }
        try await check(kinto.network)
    }

    private func check(_ network: NetworkConfiguration) async throws {
        try await checkParking(network)
        try await checkItems(network)
        try await checkForgetting(network)
    }

    private func shop(_ network: NetworkConfiguration) async throws -> Stock {
        let stock = Stock(network, bucket: "counter-\(UUID().uuidString.lowercased())")
        for sku in ["A", "B"] { _ = try await stock.create(try StockContract.record(sku, quantity: 50)) }
        return stock
    }

    private struct Outcome {
        let results: String
        let messages: String
    }

    private static func run(
        _ command: any Command, _ stock: Stock, till: String = "one", over transport: (any NetworkTransport)? = nil,
        _ network: NetworkConfiguration, input: String = "", isTerminal: Bool = false
    ) async throws -> Outcome {
        var network = network
        if let transport { network.transport = transport }
        var own = Stock(network, bucket: stock.bucket)
        own.source.till = till
        own.questionDelays = [.zero]
        let (results, messages) = (Transcript(), Transcript())
        let console = Console(
            results: results.output(), messages: messages.output(isTerminal: isTerminal),
            input: .texts(input, isTerminal: isTerminal))
        let context = CommandContext(
            stock: own, place: .server("http://127.0.0.1"), reporter: Reporter(console, for: own))
        do {
            _ = try await context.run(command)
        } catch let failure as CommandFailure {
            return Outcome(results: results.text, messages: messages.text + failure.message)
        }
        return Outcome(results: results.text, messages: messages.text)
    }

    private func checkParking(_ network: NetworkConfiguration) async throws {
        let stock = try await shop(network)
        for round in 0..<3 {
            _ = try await Self.run(TillCommand(), stock, network, input: "A\nitem 1.00 box\npark Ada\n")
            let before = try await stock.fetch(SKU("A")).record.quantity
            // Both have seen the basket before one of them takes it.
            let outcomes = try await withThrowingTaskGroup(of: Outcome.self) { group in
                for till in ["one", "two", "three"] {
                    group.addTask {
                        try await Self.run(TillCommand(), stock, till: till, network, input: "park ada\npay cash\n")
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            let messages = outcomes.map(\.messages).joined(separator: "\n")
            XCTAssertEqual(outcomes.count { $0.messages.contains("Took up the basket Ada") }, 1, messages)
            assertEqual(try await stock.fetch(SKU("A")).record.quantity, before - 1, "\(round): \(messages)")
        }
        // A till that loses the response has the basket nevertheless, once.
        _ = try await Self.run(TillCommand(), stock, network, input: "A\npark Ada\n")
        let lost = Kept(false)
        let transport = network.transport
        let losing = CannedTransport { call throws(NetworkError) in
            let response = try await transport.exchange(call)
            guard case .data(let data)? = call.body?.content,
                String(decoding: data, as: UTF8.self).contains(#""taken""#),
                lost.change({ lost in
                    defer { lost = true }
                    return !lost
                })
            else { return response }
            throw NetworkError.lost
        }
        let recorder = CannedTransport(over: losing)
        let taken = try await Self.run(TillCommand(), stock, over: recorder, network, input: "park\npay cash\n")
        // The mark, and the sale that removes the basket.
        XCTAssertEqual(recorder.calls.count(where: \.isChange), 2)
        XCTAssertTrue(taken.messages.contains("Took up the basket Ada"), taken.messages)
        XCTAssertTrue(lost.now)
        assertEqual(try await stock.parkedBaskets(), [])
        // Another till marks the basket after it was read, and before this one does.
        _ = try await Self.run(TillCommand(), stock, network, input: "A\npark Ada\n")
        var marked = try await stock.parkedBaskets()[0]
        marked.taken = ParkedBasket.Taken(till: "other", time: .now())
        let (mark, place) = (marked, ShopPath.object(marked.id, of: ParkedBasket.collection, in: stock.bucket))
        let overtaken = CannedTransport(over: network.transport, before: #""taken""#) {
            try? await stock.server.value(for: Write(path: place, data: mark.json))
        }
        let late = try await Self.run(TillCommand(), stock, over: overtaken, network, input: "park ada\nquit\n")
        XCTAssertTrue(late.messages.contains("another till has taken up Ada meanwhile"), late.messages)
        // It is told which till has it, and gets it after a question. The sale is made once, whoever pays.
        let basket = try await stock.parkedBaskets()[0]
        let told = "till other has the basket Ada since \(basket.taken?.time.minuteText ?? "")"
        let refused = try await Self.run(TillCommand(), stock, network, input: "park ada\nquit\n")
        XCTAssertTrue(refused.messages.contains(told), refused.messages)
        let denied = try await Self.run(TillCommand(), stock, network, input: "park ada\nn\nquit\n", isTerminal: true)
        XCTAssertTrue(denied.messages.contains("The basket stays at the till other."), denied.messages)
        // The other till sees the basket before it is taken away.
        let racing = CannedTransport(over: network.transport, before: #""payment":"cash""#) {
            let taker = try? await Self.run(
                TillCommand(), stock, till: "two", network, input: "park ada\ny\npay cash\n", isTerminal: true)
            XCTAssertTrue(
                taker?.results.contains("Total                          10.00 EUR") == true, "\(taker as Any)")
        }
        let elsewhere = try await Self.run(
            TillCommand(), stock, till: "other", over: racing, network, input: "park ada\npay cash\npay cash\nquit\n")
        XCTAssertTrue(elsewhere.messages.contains("\(basket.command) was made"), elsewhere.messages)
        assertEqual(try await stock.parkedBaskets(), [])
        assertEqual(try await stock.movements(MovementFilter(command: basket.command)).map(\.till), ["two"])
        assertEqual(try await stock.differences(), [])
    }

    private func checkItems(_ network: NetworkConfiguration) async throws {
        let stock = try await shop(network)
        for lines in ["item 1.00 box\nsell-voucher 20\npay card\n", "item 1.00 box\nA\npay card\n"] {
            let recorder = CannedTransport(over: network.transport)
            let sold = try await Self.run(TillCommand(), stock, over: recorder, network, input: lines)
            XCTAssertTrue(sold.results.contains("Paid"), sold.messages)
            let pay = recorder.calls.lastIndex(where: \.isChange) ?? 0
            XCTAssertEqual(pay, recorder.calls.count - 1, "nothing is asked after the sale")
            XCTAssertEqual(recorder.calls.count(where: \.isChange), 1)
        }
        // What was told stays true, also if the request arrives after all.
        var sales = 0
        for fault in LosingTransport.Fault.allCases {
            for word in ["item 1.00 tape", "sell-voucher 20"] {
                let losing = LosingTransport(network.transport, [fault])
                let lost = try await Self.run(
                    TillCommand(), stock, till: "faults", over: losing, network, input: "\(word)\npay cash\ncancel\n")
                try await losing.deliver()
                if fault != .lostRequest { sales += 1 }
                let made = try await stock.movements(MovementFilter(till: "faults")).count { $0.price != nil }
                XCTAssertEqual(made, sales, "\(fault): \(lost.messages)")
            }
        }
        // Two tills give the money back once.
        var move = CopyMove(
            kind: .sale, lines: [CopyLine(.sale, Money(amount: 100, currency: try Currency("EUR")), name: "bag")])
        move.id = "bag"
        let bag = move
        var own = stock
        own.source.command = "bag"
        let source = own.source
        _ = try await own.change {
            try await own.look()
        } plan: { look in
            try bag.plan(look, source)
        }
        let racing = CannedTransport(over: network.transport, before: #""kind":"return""#) {
            _ = try? await Self.run(UndoCommand(id: "bag"), stock, network)
        }
        let late = try await Self.run(TillCommand(), stock, over: racing, network, input: "return bag\npay cash\n")
        XCTAssertTrue(late.messages.contains("came back already"), late.messages)
        assertEqual(try await stock.returns(of: ["bag-1"]).standing.map(\.quantity), [1])
        // Also for a record that was deleted since.
        var sale = CopyMove(kind: .sale, lines: [CopyLine(code: try SKU("A"))])
        sale.id = "gone"
        _ = try await Self.run(SellCommand(move: sale), stock, network)
        _ = try await Self.run(DeleteCommand(code: try SKU("A"), isConfirmed: true), stock, network)
        var refund = CopyMove(kind: .return, lines: sale.lines)
        refund.sale = "gone"
        let command = ReturnCommand(move: refund)
        let overtaken = CannedTransport(over: network.transport, before: #""kind":"return""#) {
            _ = try? await Self.run(command, stock, till: "two", network)
        }
        _ = try await Self.run(command, stock, over: overtaken, network)
        assertEqual(try await stock.returns(of: ["gone-1"]).standing.map(\.till), ["two"])
        assertEqual(try await stock.differences(), [])
    }

    private func checkForgetting(_ network: NetworkConfiguration) async throws {
        let stock = try await shop(network)
        let (a, b) = (try SKU("A"), try SKU("B"))
        for (code, name) in [(a, "Ada"), (b, "Ada"), (a, "Eve")] {
            _ = try await Self.run(ReserveCommand(code: code, name: name), stock, network)
        }
        _ = try await Self.run(DeleteCommand(code: b, isConfirmed: true), stock, network)
        let query: RequestQuery = ["_sort": "id"]
        func movements() async throws -> [JSONView] { try await stock.objects(Ledger.collection, query) }
        let path = ShopPath.movement("foreign", in: stock.bucket)
        try await stock.server.value(
            for: Write(
                path: path,
                data: [
                    "sku": "A", "kind": "void", "quantity": 0, "till": "T", "time": ["at": 1], "reason": "Adam, Ada's",
                    "color": "red",
                ]))
        func version(_ object: JSONView) -> Int64? { object.last("last_modified")?.integer }
        let before = try await movements()
        let forgotten = try await Self.run(ForgetCommand(name: "Ada", isConfirmed: true), stock, network)
        XCTAssertTrue(forgotten.messages.contains("1 record, 4 movements, 0 parked"), forgotten.messages)
        let after = try await movements().filter { $0.last("reason")?.string?.contains("was forgotten") != true }
        XCTAssertEqual(after.map(version), before.map(version), "another change must not get a version")
        for object in after {
            let text = object.tree.text()
            XCTAssertFalse(text.contains("\"Ada\"") || text.contains("for Ada"), text)
        }
        let foreign = after.first { $0.last("id")?.string == "foreign" }
        XCTAssertEqual(foreign?.last("reason")?.string, "Adam, forgotten's")
        XCTAssertEqual(foreign?.last("color")?.string, "red")
        assertEqual(try await stock.fetch(a).record.reservations.map(\.name), [Forgetting.replacement, "Eve"])
        let sold = try await Self.run(
            SellCommand(move: CopyMove(kind: .sale, lines: [CopyLine(code: a)])), stock, network)
        XCTAssertTrue(sold.messages.contains("Sold 1 of A"), sold.messages)
        assertEqual(try await stock.differences(), [])
    }
}
