import RecordKitJSON
import RecordKit
import TestSupport
import XCTest

@testable import RecordInventory

/// The counter: what is scanned, shown and sold.
final class TillCommandTests: TimedTestCase {
    private func till(_ skus: String...) async throws -> Till {
        let till = try Till()
        for sku in skus { _ = await till.add(sku, "--quantity", "5", "--location", "S") }
        return till
    }

    /// The SKU and the quantity of each record.
    private func stock(_ till: Till) async -> [[String]] {
        await till.type("list").rows.map { [$0[0], $0[13]] }
    }

    func testThePriceThatWasShownIsPaid() async throws {
        let till = try await till("A", "B")
        let shown = try await shift(till, ["A", "A", "B", "price 5"]) {
            _ = await till.type("edit", "A", "--price", "15")
        }
        XCTAssertTrue(shown.results.contains("Total: 3 for 25.00 EUR\n-"), shown.results)
        XCTAssertTrue(shown.results.contains("2 x 10.00                     20.00\n"), shown.results)
        XCTAssertTrue(shown.results.contains("Total                          25.00 EUR\n"), shown.results)
        let movements = await till.type("history").rows.filter { $0[2] == "sale" }
        XCTAssertEqual(movements.map { [$0[3], $0[7], $0[8]] }, [["A", "-2", "10.00"], ["B", "-1", "5.00"]])

        let other = try await shift(till, ["A"]) {
            _ = await till.type("edit", "A", "--price", "1500", "--currency", "JPY")
        }
        XCTAssertTrue(other.messages.contains("A was changed from EUR to JPY meanwhile"), other.messages)
        assertEqual(await stock(till), [["A", "3"], ["B", "4"]])
    }

    func testACopyComesBackOnceAtTwoTills() async throws {
        let till = try await till("A", "B")
        _ = await till.type("sell", "A", "--id", "S1")
        let other = try await shift(till, ["return S1", "B"]) { _ = await till.type("return", "A", "--sale", "S1") }
        XCTAssertTrue(other.messages.contains("the sale S1 had 1 of A, of which 1 came back already"), other.messages)
        assertEqual(await stock(till), [["A", "5"], ["B", "5"]], "neither is written alone")
    }

    func testTooManyRecordsKeepTheBasket() async throws {
        let till = try Till()
        let skus = (1...9).map { "S-\($0)" }
        _ = await till.type("import", try till.file(skus.map { "\($0),A,T,1,EUR" }.joined(separator: "\n")))
        // As many requests in a batch as Kinto takes unless it was set higher.
        let small = limiting(till.transport, to: 25)
        // The ninth is told when it is scanned, also as a trade-in. A copy of another one still fits.
        let lines = skus.joined(separator: "\n") + "\ntrade-in S-9 1.00\ntotal\npay\n"
        let outcome = await till.type(["till"], input: lines, over: small)
        let told =
            "S-9 was not added: one sale takes 8 different records on this server; pay for these first, or set "
            + "kinto.batch_max_requests to 27 or more"
        XCTAssertEqual(outcome.messages.ranges(of: told).count, 2, outcome.messages)
        XCTAssertEqual(outcome.exitCode, .partlyDone, outcome.messages)
        let left = await self.stock(till)
        XCTAssertEqual(left.map { $0[1] }, Array(repeating: "0", count: 8) + ["1"])
    }

    /// A line with reserved copies takes more requests than one without: so they are counted again after a line was
    /// taken out.
    func testALineThatIsTakenOutLeavesItsOwnRoomAlone() async throws {
        let till = try Till()
        let skus = (1...9).map { "S-\($0)" }
        _ = await till.type("import", try till.file(skus.map { "\($0),A,T,1,EUR" }.joined(separator: "\n")))
        _ = await till.type("edit", "S-9", "--quantity", "5")
        for _ in 0..<5 { _ = await till.type("reserve", "S-9", "--for", "Ada") }
        let lines = ["for Ada"] + skus.prefix(8) + ["undo", "5 x S-9", "pay"]
        await till.type(
            ["till"], input: lines.joined(separator: "\n"), over: limiting(till.transport, to: 28)
        ).expect(.partlyDone, "5 x S-9 was not added", prints: "Total                           7.00 EUR")
    }

    /// The plan of a basket takes as long as it has lines, so it isn't made for each line.
    func testALargeBasketIsPlannedAFewTimes() async throws {
        let till = try Till()
        let skus = (1...60).map { "S-\($0)" }
        _ = await till.type("import", try till.file(skus.map { "\($0),A,T,1,EUR" }.joined(separator: "\n")))
        let asked = Kept(0)
        let counting = limiting(till.transport, to: 200) { asked.next() }
        await till.type(["till"], input: skus.joined(separator: "\n") + "\npay\n", over: counting).expect(.done)
        XCTAssertTrue(2...6 ~= asked.now, "each plan asks for the limit: \(asked.now)")
    }

    /// Returns a transport to a store that takes so many requests in a batch.
    private func limiting(
        _ store: any NetworkTransport, to limit: Int, _ onAsked: @escaping @Sendable () -> Void = {}
    ) -> CannedTransport {
        CannedTransport { call throws(NetworkError) in
            var response = try await store.exchange(call)
            guard call.url.lastPathComponent == "v1" else { return response }
            onAsked()
            let body = String(decoding: response.body, as: UTF8.self)
                .replacing(/"batch_max_requests":[0-9]+/, with: "\"batch_max_requests\":\(limit)")
            response.content = .data(Data(body.utf8))
            return response
        }
    }

    /// While the outcome of a sale is unknown, nothing else is scanned.
    func testNothingIsSoldBeforeTheLastSaleIsKnown() async throws {
        let till = try await till("A", "B")
        let breaks = Kept(1)
        let losing = LosingTransport(till.transport, [.lostResponse]) { call in
            guard call.url.query()?.contains("command=") == true else { return false }
            return breaks.change { breaks in
                breaks -= 1
                return breaks >= 0
            }
        }
        let outcome = await till.type(["till"], input: "A\npay\nB\nundo\nB\npay\n", over: losing)
        XCTAssertTrue(outcome.messages.contains("it is not known yet whether the sale"), outcome.messages)
        assertEqual(
            await self.stock(till), [["A", "4"], ["B", "4"]], "undo was meant for the basket: \(outcome.messages)")
        XCTAssertEqual(outcome.results.split(separator: "\n").count { $0.hasPrefix("Total   ") }, 2, outcome.results)
    }

    /// Runs a till that scans these lines, and pays after `meanwhile`.
    private func shift(
        _ till: Till, _ lines: [String], _ meanwhile: @escaping @Sendable () async -> Void
    ) async throws -> (results: String, messages: String) {
        let pipe = Pipe()
        let (results, messages) = (Transcript(), Transcript())
        let scanned = AsyncStream.makeStream(of: Void.self)
        let shell = Shell(
            results: Output(
                isTerminal: false, columns: { 80 },
                write: { text throws(FileError) in
                    try results.output().write(text)
                    if results.text.split(separator: "\n").count(where: { $0.hasPrefix("Total: ") }) == lines.count {
                        scanned.continuation.yield()
                    }
                }), messages: messages.output(), input: .descriptor(pipe.fileHandleForReading.fileDescriptor),
            environment: [:])
        try pipe.fileHandleForWriting.write(contentsOf: Data((lines.joined(separator: "\n") + "\n").utf8))
        async let exitCode = shell.run(["till", "--store", till.folder.path("stock.sqlite")])
        for await _ in scanned.stream { break }
        await meanwhile()
        try pipe.fileHandleForWriting.write(contentsOf: Data("pay\n".utf8))
        try pipe.fileHandleForWriting.close()
        _ = await exitCode
        return (results.text, messages.text)
    }

    func testTwoTillsChangeDifferentSettingsAtOnce() async throws {
        let till = try Till()
        _ = await till.add("A")
        let racing = CannedTransport(over: till.transport, before: #""payment_kinds""#) {
            _ = await till.type("payments", "--day-end", "4")
        }
        await till.type(["payments", "paypal"], over: racing).expect(.done)
        let shop = try await Stock(over: till.transport).readSettings()
        XCTAssertEqual(shop.kinds.added, ["paypal"])
        XCTAssertEqual(shop.dayEnd, 4)
    }
}
