import Foundation
import RecordKit
import Synchronization
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

    func testUndoTakesOutTheLastScan() async throws {
        let till = try await till("A", "B")
        let shift = await till.scan(["till"], "A\nB\nA\nB\nundo\nundo\npay\nQUIT\nB\npay\n")
        XCTAssertEqual(shift.exitCode, .done, shift.messages)
        XCTAssertTrue(
            shift.messages.contains("\nTook B out of the basket.\nTook A out of the basket.\n"), shift.messages)
        let left = await stock(till)
        XCTAssertEqual(left, [["A", "4"], ["B", "4"]], "nothing was sold after quit")
    }

    func testTotalShowsTheBasket() async throws {
        let till = try await till("A", "B")
        _ = await till.type("reserve", "B", "-n", "4", "--for", "Ada")
        let shift = await till.scan(["till"], "A\nB\nA\nB\nprice 8\ndiscount 10%\ntotal\ncancel\n")
        XCTAssertTrue(
            shift.results.hasSuffix(
                "2 x A, Artist: Title, 8.00 EUR\n1 x B, Artist: Title, 10.00 EUR\nTotal: 3 for 23.40 EUR\n"),
            shift.results)
        XCTAssertTrue(
            shift.messages.contains("copies of B: 1 can be sold; `sell --for NAME` sells a reserved copy\n"),
            shift.messages)
    }

    func testADiscountEndsWithItsBasket() async throws {
        let till = try await till("A", "B")
        let shift = await till.scan(["till"], "A\ndiscount 10%\ndiscount 99\ntotal\nundo\nB\npay\n")
        XCTAssertTrue(
            shift.results.contains(
                "Total: 1 for 9.00 EUR\n1 x A, Artist: Title, 10.00 EUR\nTotal: 1 for 9.00 EUR\nB  "), shift.results)
        XCTAssertTrue(shift.messages.contains("discount \"99\": more than the total"), shift.messages)
        XCTAssertTrue(shift.results.contains("10.00 EUR\n2"), shift.results)
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
        XCTAssertEqual(movements.map { [$0[3], $0[4], $0[5]] }, [["A", "-2", "10.00"], ["B", "-1", "5.00"]])

        let other = try await shift(till, ["A"]) {
            _ = await till.type("edit", "A", "--price", "1500", "--currency", "JPY")
        }
        XCTAssertTrue(other.messages.contains("A was changed from EUR to JPY meanwhile"), other.messages)
        let left = await stock(till)
        XCTAssertEqual(left, [["A", "3"], ["B", "4"]])
    }

    func testWithJSONTheResultsAreTheSalesAlone() async throws {
        let till = try await till("A")
        for sku in ["X1", "X2"] { _ = await till.add(sku, "--barcode", "4006381333931") }
        let shift = await till.scan(["till", "--json"], "4006381333931\nA\ntotal\npay\nA\npay\n")
        let sales = try shift.results.split(separator: "\n").map { try JSONReader.read(Array($0.utf8)) }
        XCTAssertEqual(sales.map { $0.object?["movements"]?.array?.count }, [1, 1], shift.results)
        for text in ["Total: 1 for 10.00 EUR", "name the SKU of one\n  X1, Artist: Title, 1 in stock\n  X2, "] {
            XCTAssertTrue(shift.messages.contains(text), shift.messages)
        }
    }

    func testTooManyRecordsKeepTheBasket() async throws {
        let till = try Till()
        let skus = (1...9).map { "S-\($0)" }
        _ = await till.type("import", try till.file(skus.map { "\($0),A,T,1,EUR" }.joined(separator: "\n")))
        var network = try LosingTransport.network(till)
        network.transport = SmallBatches(transport: network.transport)
        let stock = Stock(network, bucket: "shop")
        let lines = skus.joined(separator: "\n") + "\npay\nundo\nhelp\n"
        let outcome = await run(stock, lines)
        XCTAssertTrue(
            outcome.messages.contains("9 different records are too many for one change on this server, which takes 8"),
            outcome.messages)
        XCTAssertTrue(outcome.messages.contains("Took S-9 out of the basket."), outcome.messages)
        XCTAssertTrue(outcome.failure?.contains("8 in the basket, not sold") == true, "\(outcome)")
    }

    /// While the outcome of a sale is unknown, nothing else is scanned.
    func testNothingIsSoldBeforeTheLastSaleIsKnown() async throws {
        let till = try await till("A", "B")
        let breaks = Mutex(1)
        let network = try LosingTransport.network(till, [.lostResponse]) { call in
            guard call.url.query()?.contains("command=") == true else { return false }
            return breaks.withLock { breaks in
                breaks -= 1
                return breaks >= 0
            }
        }
        var stock = Stock(network, bucket: "shop")
        stock.questionDelays = []
        let outcome = await run(stock, "A\npay\nB\nundo\nB\npay\n")
        XCTAssertNil(outcome.failure)
        XCTAssertTrue(outcome.messages.contains("it is not known yet whether the sale"), outcome.messages)
        let left = await self.stock(till)
        XCTAssertEqual(left, [["A", "4"], ["B", "4"]], "undo was meant for the basket: \(outcome.messages)")
        XCTAssertEqual(outcome.results.split(separator: "\n").count { $0.hasPrefix("Total   ") }, 2, outcome.results)
    }

    /// A server that takes as many requests in a batch as Kinto does unless it was set higher.
    private struct SmallBatches: NetworkTransport {
        let transport: any NetworkTransport

        func exchange(_ call: NetworkCall) async throws(NetworkError) -> NetworkResponse {
            let response = try await transport.exchange(call)
            guard call.url.lastPathComponent == "v1" else { return response }
            let limit = try! Regex(#""batch_max_requests":[0-9]+"#)
            let body = String(decoding: response.body, as: UTF8.self).replacing(
                limit, with: #""batch_max_requests":25"#)
            return NetworkResponse(
                statusCode: response.statusCode, headers: response.headers, body: Data(body.utf8), url: response.url)
        }
    }

    private struct Outcome {
        var failure: String?
        let results: String
        let messages: String
    }

    /// Runs a till on a stock with these lines.
    private func run(_ stock: Stock, _ lines: String) async -> Outcome {
        let (results, messages) = (Transcript(), Transcript())
        let context = CommandContext(
            stock: stock, place: .server("http://127.0.0.1"),
            console: Console(results: results.output(), messages: messages.output(), input: .texts(lines)))
        var failure: String?
        do {
            _ = try await context.run(TillCommand())
        } catch {
            failure = (error as? CommandFailure)?.message ?? "\(error)"
        }
        return Outcome(failure: failure, results: results.text, messages: messages.text)
    }

    /// Runs a till that scans these lines, and pays after `meanwhile`.
    private func shift(
        _ till: Till, _ lines: [String], _ meanwhile: @escaping @Sendable () async -> Void
    ) async throws -> Outcome {
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
        async let exitCode = shell.run(
            ["till", "--store", till.folder.path("stock.sqlite")], run: CommandContext.run)
        for await _ in scanned.stream { break }
        await meanwhile()
        try pipe.fileHandleForWriting.write(contentsOf: Data("pay\n".utf8))
        try pipe.fileHandleForWriting.close()
        _ = await exitCode
        return Outcome(results: results.text, messages: messages.text)
    }
}
