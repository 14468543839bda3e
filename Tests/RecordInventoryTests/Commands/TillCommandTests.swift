import RecordKitJSON
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

    func testACopyComesBackOnceAtTwoTills() async throws {
        let till = try await till("A", "B")
        _ = await till.type("sell", "A", "--id", "S1")
        let other = try await shift(till, ["return S1", "B"]) { _ = await till.type("return", "A", "--sale", "S1") }
        XCTAssertTrue(other.messages.contains("the sale S1 had 1 of A, of which 1 came back already"), other.messages)
        let left = await stock(till)
        XCTAssertEqual(left, [["A", "5"], ["B", "5"]], "neither is written alone")
    }

    func testTooManyRecordsKeepTheBasket() async throws {
        let till = try Till()
        let skus = (1...9).map { "S-\($0)" }
        _ = await till.type("import", try till.file(skus.map { "\($0),A,T,1,EUR" }.joined(separator: "\n")))
        var network = try LosingTransport.network(till)
        network.transport = SmallBatches(transport: network.transport)
        let stock = Stock(network, bucket: "shop")
        // The ninth is told when it is scanned, also as a trade-in. A copy of another one still fits.
        let outcome = await run(stock, skus.joined(separator: "\n") + "\ntrade-in S-9 1.00\ntotal\npay\n")
        let told =
            "S-9 was not added: one sale takes 8 different records on this server; pay for these first, or set "
            + "kinto.batch_max_requests to 27 or more"
        XCTAssertEqual(outcome.messages.ranges(of: told).count, 2, outcome.messages)
        XCTAssertNil(outcome.failure, "\(outcome)")
        let left = await self.stock(till)
        XCTAssertEqual(left.map { $0[1] }, Array(repeating: "0", count: 8) + ["1"])
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
