import RecordKit
import Synchronization
import TestSupport
import XCTest

@testable import RecordInventory

/// Counting a shelf, scanned copy by copy.
final class CountCommandTests: TimedTestCase {
    /// A shelf with one copy of each.
    private func till(_ skus: String...) async throws -> Till {
        let till = try Till()
        for sku in skus { _ = await till.add(sku, "--location", "S") }
        return till
    }

    private func quantities(_ till: Till) async -> [String] {
        await till.type("list").rows.map { $0[13] }
    }

    func testWhereNothingWasScannedNothingIsChanged() async throws {
        let till = try await till("A", "B")
        for lines in ["", "\n\n", "nope\n"] {
            let empty = await till.scan(["count", "--location", "S", "--commit"], lines)
            XCTAssertEqual(empty.exitCode, .failed, lines)
            XCTAssertTrue(empty.messages.contains("nothing was counted, so nothing was changed"), empty.messages)
        }
        let left = await quantities(till)
        XCTAssertEqual(left, ["1", "1"])
    }

    func testAnEmptyLineEndsTheCountAtATerminalOnly() async throws {
        let till = try await till("A", "B")
        let piped = await till.scan(["count", "--location", "S", "--commit"], "A\n\nB\n")
        XCTAssertEqual(piped.exitCode, .done, piped.messages)
        XCTAssertEqual(
            piped.messages, "S: 2 copies of 2 records expected. Scan each copy.\n2 copies counted, as expected.\n")
        let typed = await till.type(["count", "--location", "S", "--reason", "July"], answer: "A\n\nyes\n")
        XCTAssertEqual(typed.exitCode, .done, typed.messages)
        XCTAssertTrue(typed.messages.contains("ends the count.\nA, Artist: Title: 1\n"), typed.messages)
        XCTAssertTrue(typed.messages.contains("1 copy counted, 2 expected; 1 difference.\n"), typed.messages)
        XCTAssertTrue(typed.messages.hasSuffix("1 quantity set as counted.\n"), typed.messages)
        let left = await quantities(till)
        XCTAssertEqual(left, ["1", "0"])
        let movement = await till.type("history", "--limit", "1").rows.first
        XCTAssertEqual(movement.map { [$0[2], $0[3], $0[11]] }, ["count", "B", "July"])
    }

    func testCodesMayBeDividedByTabsOrReturns() async throws {
        let till = try await till("A", "B", "C")
        let counted = await till.scan(["count", "--location", "S"], "A\tB\rC\r")
        XCTAssertEqual(counted.exitCode, .done, counted.messages)
        XCTAssertTrue(counted.messages.contains("3 copies counted, as expected"), counted.messages)
        let long = await till.scan(
            ["count", "--location", "S"], String(repeating: "A\t", count: 3_000) + "\nB\nC\nA\n")
        XCTAssertEqual(long.exitCode, .partlyDone, long.messages)
        XCTAssertTrue(long.messages.contains("more than 4096 bytes"), long.messages)
    }

    func testOfSeveralWithABarcodeTheOneOnTheShelfIsCounted() async throws {
        let till = try await till("A")
        for (sku, location) in [("B", "S"), ("C", "T"), ("D", "T")] {
            _ = await till.add(sku, "--location", location, "--barcode", "4006381333931")
        }
        let here = await till.scan(["count", "--location", "S", "--json"], "4006381333931\nA\n")
        XCTAssertEqual(here.exitCode, .done, here.messages)
        XCTAssertEqual(here.results, "[]\n")
        let both = await till.scan(["count", "--location", "T", "--json"], "4006381333931\nD\n")
        XCTAssertEqual(
            both.results, #"[{"sku":"C","quantity":1,"counted":0,"difference":-1}]"# + "\n", "one document")
        XCTAssertTrue(
            both.messages.contains(#""4006381333931" was not counted: 3 records have the barcode"#), both.messages)
        XCTAssertTrue(both.messages.contains("\n  D, Artist: Title, 1 in stock\n"), both.messages)
    }

    func testALostConnectionOrADamagedRecordLosesNoScan() async throws {
        let till = try await till("A", "B")
        try await till.addUnreadable("broken")
        let network = try LosingTransport.network(till) { $0.url.path().hasSuffix("/lost") }
        let messages = Transcript()
        let context = CommandContext(
            stock: Stock(network, bucket: "shop"), place: .server("http://127.0.0.1"),
            console: Console(
                results: Transcript().output(), messages: messages.output(), input: .texts("A\nlost\nbroken\nB\n")))
        let exitCode = try await context.run(CountCommand(target: .shelf("S", isConfirmed: true)))
        XCTAssertEqual(exitCode, .partlyDone)
        XCTAssertTrue(messages.text.contains("\"lost\" was not counted: "), messages.text)
        XCTAssertTrue(messages.text.contains("\"broken\" was not counted: "), messages.text)
        XCTAssertTrue(messages.text.contains("2 copies counted, as expected."), messages.text)
    }

    func testACountThatFailsSaysWhatWasSet() async throws {
        let till = try Till()
        let rows = (1...1_200).map { "S-\($0),A,T,1,EUR,S" }.joined(separator: "\n")
        _ = await till.type(
            "import", try till.file(rows, header: "sku,artist,title,price,currency,location"))
        let count = Mutex(0)
        let network = try LosingTransport.network(till) { call in
            guard call.url.path().hasSuffix("/batch"), call.isChange else { return false }
            return count.withLock { count in
                count += 1
                return count > 1
            }
        }
        var stock = Stock(network, bucket: "shop")
        stock.questionDelays = []
        let messages = Transcript()
        let context = CommandContext(
            stock: stock, place: .server("http://127.0.0.1"),
            console: Console(results: Transcript().output(), messages: messages.output(), input: .texts("S-1\n")))
        do {
            _ = try await context.run(CountCommand(target: .shelf("S", isConfirmed: true)))
            XCTFail("the second batch was lost")
        } catch let failure as CommandFailure {
            XCTAssertEqual(failure.exitCode, .network)
        }
        let set = try await stock.movements(MovementFilter(kinds: [.count])).count
        XCTAssertTrue(100..<1_199 ~= set, "\(set)")
        XCTAssertTrue(messages.text.hasSuffix("\n\(set) quantities set as counted.\n"), messages.text)
    }

    func testARecordThatIsSoldMeanwhileIsLeft() async throws {
        let till = try await till("A", "B")
        let file = till.folder.url.appending(path: "stock.sqlite")
        let overtaken = OvertakenTransport(
            EmbeddedTransport(EmbeddedStore(file: file)), before: "\"kind\":\"count\""
        ) { _ = await till.type("sell", "B") }
        let stock = Stock(over: overtaken)
        let messages = Transcript()
        let context = CommandContext(
            stock: stock, place: .store(path: file.path),
            console: Console(
                results: Transcript().output(), messages: messages.output(), input: .texts("A\nA\nB\nB\n")))
        let exitCode = try await context.run(CountCommand(target: .shelf("S", isConfirmed: true)))
        XCTAssertEqual(exitCode, .partlyDone)
        XCTAssertTrue(messages.text.contains("B was changed while you counted; count it again\n"), messages.text)
        XCTAssertTrue(messages.text.contains("1 quantity set as counted.\n"), messages.text)
        let quantities = await till.type("list", "--fields", "quantity").skus
        XCTAssertEqual(quantities, ["2", "0"])
        let differences = try await stock.differences()
        XCTAssertEqual(differences, [])
    }

    func testTheTableFits40Columns() async throws {
        let till = try await till("A", "discogs-12345678")
        let results = Transcript()
        let shell = Shell(
            results: results.output(isTerminal: true, columns: 40), messages: Transcript().output(),
            input: .texts("A\nA\n"), environment: ["NO_COLOR": "1"])
        _ = await shell.run(
            ["count", "--location", "S", "--store", till.folder.path("stock.sqlite")], run: CommandContext.run)
        XCTAssertEqual(
            results.text,
            """
            SKU               counted  difference
            A                       2           1
            discogs-12345678        0          -1

            """)
    }
}
