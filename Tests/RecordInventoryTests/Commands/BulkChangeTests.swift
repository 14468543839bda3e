import RecordKitJSON
import Foundation
import RecordKit
import TestSupport
import XCTest

@testable import RecordInventory

/// `edit --where` and `delete --where`.
final class BulkChangeTests: TimedTestCase {
    private func filled() async throws -> Till {
        let till = try Till()
        let rows = (1...7).map { "LP-\($0),A,T\($0),10,EUR,2,\($0 < 7 ? "A-1" : "B-1")" }.joined(separator: "\n")
        let file = try till.file(rows, header: "sku,artist,title,price,currency,quantity,location")
        let outcome = await till.type("import", file)
        XCTAssertEqual(outcome.exitCode, .done, outcome.messages)
        return till
    }

    private func places(_ till: Till) async -> [String] { await till.type("list", "--fields", "location").skus }

    func testAllThatMatchAreChangedAfterAPreviewAndAQuestion() async throws {
        let till = try await filled()
        let command = ["edit", "--where", "location=A-1", "--location", "C-1"]
        let declined = await till.type(command, answer: "n\n")
        XCTAssertEqual(declined.exitCode, .failed)
        XCTAssertEqual(
            declined.messages,
            (1...5).map { "LP-\($0), A: T\($0); location: \"A-1\" becomes \"C-1\"\n" }.joined()
                + "… and 1 more.\nChange 6 records with 12 copies in stock? [y/N] Nothing was changed.\n")
        let dry = await till.type(command + ["--dry-run", "--fields", "sku,location"])
        XCTAssertTrue(dry.messages.hasSuffix("It would be changed: 6 records with 12 copies in stock.\n"), dry.messages)
        XCTAssertEqual(dry.rows, (1...6).map { ["LP-\($0)", "C-1"] })
        let before = await places(till)
        XCTAssertEqual(before, Array(repeating: "A-1", count: 6) + ["B-1"])
        let changed = await till.type(command, answer: "y\n")
        XCTAssertEqual(changed.exitCode, .done)
        XCTAssertTrue(changed.messages.hasSuffix("[y/N] 6 records are changed.\n"), changed.messages)
        XCTAssertEqual(changed.results, "", "a terminal sees the sentence")
        let after = await places(till)
        XCTAssertEqual(after, Array(repeating: "C-1", count: 6) + ["B-1"])
        let history = await till.type("history", "LP-3", "--fields", "kind,quantity,reason")
        XCTAssertEqual(history.rows, [["opening", "2", ""], ["edit", "0", "location"]])
        let none = await till.type(command + ["--yes"])
        XCTAssertEqual(none.messages, "Nothing was changed: no record matches.\n")
    }

    func testWhatIsChangedAlreadyIsLeftAlone() async throws {
        let till = try await filled()
        let command = ["edit", "--where", "artist=A", "--quantity", "3", "--yes"]
        _ = await till.type("edit", "LP-1", "--quantity", "3")
        let changed = await till.type(command + ["--output", "csv", "--fields", "sku,quantity"])
        XCTAssertEqual(changed.results, "sku,quantity\n" + (2...7).map { "LP-\($0),3\n" }.joined())
        let again = await till.type(command)
        XCTAssertEqual(again.messages, "Nothing was changed: 7 records match, and are like that already.\n")
        let history = await till.type("history", "--fields", "kind,quantity")
        XCTAssertEqual(history.rows.count { $0 == ["correction", "1"] }, 7)
        let doctor = await till.type("doctor")
        XCTAssertEqual(doctor.exitCode, .done, doctor.messages)
    }

    func testAllThatMatchAreDeleted() async throws {
        let till = try await filled()
        _ = await till.type("reserve", "LP-2", "--for", "Ada")
        let asked = await till.type(["delete", "--where", "location=A-1", "--fields", "sku"], answer: "y\n")
        XCTAssertEqual(asked.exitCode, .done, asked.messages)
        XCTAssertTrue(
            asked.messages.contains("Delete 6 records with 12 copies in stock, 1 of them reserved? [y/N] "),
            asked.messages)
        XCTAssertTrue(asked.results.contains("LP-6"), asked.results)
        let left = await till.type("list").skus
        XCTAssertEqual(left, ["LP-7"])
        let none = await till.type("delete", "--where", "location=A-1", "--yes", "--json")
        XCTAssertEqual(none.results, "[]\n", none.messages)
        // A record with the same SKU begins anew.
        _ = await till.add("LP-2")
        let history = await till.type("history", "LP-2", "--fields", "kind,quantity,id").rows
        XCTAssertEqual(history.map { $0[0] }, ["opening", "reservation", "deletion", "opening"])
        XCTAssertEqual(history[2][1], "-2")
        XCTAssertTrue(history[0][2].hasPrefix("opening-LP-2-"), "the first one makes room: \(history)")
        XCTAssertEqual(history[3][2], "opening-LP-2")
        let doctor = await till.type("doctor")
        XCTAssertEqual(doctor.exitCode, .done, doctor.messages)
    }

    func testMistakesChangeNothing() async throws {
        let till = try await filled()
        _ = await till.add("X-1", "--currency", "JPY", "--price", "500")
        let before = await till.type("list", "--json").results
        for (arguments, message) in [
            (["edit", "--where", "artist=A", "--notes", "n"], "edit --where asks only at a terminal; give --yes"),
            (["delete", "--where", "artist=A"], "delete --where asks only at a terminal; give --yes"),
            (
                ["edit", "LP-1", "--where", "artist=A", "--notes", "n"],
                "edit takes a SKU or --where, not both: \"LP-1\""
            ),
            (["edit", "--notes", "n"], "edit requires a SKU, or --where FIELD=VALUE for all that match"),
            (["delete"], "delete requires a SKU, or --where"),
            (["edit", "LP-1", "--notes", "n", "--yes"], "--yes requires --where"),
            (["edit", "--where", "artst=A", "--notes", "n", "--yes"], "did you mean artist?"),
            (["edit", "--where", "max_price=20", "--notes", "n", "--yes"], "prices are in several currencies"),
            (
                ["edit", "--where", "min_quantity=1", "--price", "1.50", "--yes"],
                "nothing was changed, because of X-1: price \"1.50\""
            ),
        ] {
            let outcome = await till.type(arguments)
            XCTAssertEqual(outcome.exitCode, .usage, "\(arguments)")
            XCTAssertTrue(outcome.messages.contains(message), "\(arguments): \(outcome.messages)")
        }
        let after = await till.type("list", "--json").results
        XCTAssertEqual(after, before)
    }

    /// One record is sold, and one goes elsewhere, before the batch is written.
    func testARecordThatAnotherProgramChangesIsReadAgain() async throws {
        let till = try await filled()
        let file = till.folder.url.appending(path: "stock.sqlite")
        let overtaken = OvertakenTransport(
            EmbeddedTransport(EmbeddedStore(file: file)), before: "\"location\":\"C-1\""
        ) {
            _ = await till.type("sell", "LP-2")
            _ = await till.type("edit", "LP-3", "--location", "D-1")
        }
        let stock = Stock(over: overtaken)
        let messages = Transcript()
        let console = Console(results: Transcript().output(), messages: messages.output(), input: .texts())
        let arguments = try ArgumentScanner(
            ["--where", "location=A-1", "--location", "C-1", "--yes"], options: EditCommand.usage.options)
        let exitCode = try await CommandContext(stock: stock, place: .store(path: file.path), console: console)
            .run(try EditCommand(arguments))
        XCTAssertEqual(exitCode, .done)
        XCTAssertEqual(messages.text, "5 records are changed.\n")
        let after = await till.type("list", "--fields", "location,quantity").rows
        XCTAssertEqual(
            after,
            [["C-1", "2"], ["C-1", "1"], ["D-1", "2"], ["C-1", "2"], ["C-1", "2"], ["C-1", "2"], ["B-1", "2"]])
        let edits = try await stock.movements(MovementFilter(kinds: [.edit]))
        XCTAssertEqual(edits.map(\.sku.text).sorted(), (1...6).map { "LP-\($0)" }, "each once")
        let differences = try await stock.differences()
        XCTAssertEqual(differences, [])
    }

    func testAChangeThatIsKilledIsFinishedByTheNext() async throws {
        let folder = try TemporaryFolder()
        let file = folder.path("stock.sqlite")
        let tool = Tool(store: file)
        let count = 3_000
        let csv = "sku,artist,title,price,currency,quantity\n" + (0..<count).map { "\($0),A,T,1,EUR,1\n" }.joined()
        let imported = try tool.run("import", try folder.write(csv.utf8, to: "stock.csv"))
        XCTAssertEqual(imported.exitCode, 0, imported.messages)
        let store = EmbeddedStore(file: URL(filePath: file))
        func changed(_ query: String) async throws -> Int {
            let path = "/v1/buckets/shop/collections/records/records"
            let answer = try await store.answer(StoreRequest(method: .head, path: path, query: query))
            return Int(answer.headers["Total-Objects"] ?? "") ?? 0
        }
        for (command, query, wanted) in [
            (["edit", "--where", "artist=A", "--quantity", "4", "--yes"], "quantity=4", count),
            (["delete", "--where", "artist=A", "--yes"], "", 0),
        ] {
            let start = try await changed(query)
            let process = try tool.start(command)
            while process.isRunning, try await changed(query) == start {}
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
            let midway = try await changed(query)
            XCTAssertNotEqual(midway, start, "\(command): no batch was written")
            XCTAssertNotEqual(midway, wanted, "\(command): the kill came too late")
            let finished = try tool.run(command)
            XCTAssertEqual(finished.exitCode, 0, finished.messages)
            let rest = abs(wanted - midway)
            XCTAssertTrue(
                finished.messages.hasSuffix("\(rest) records are \(wanted == 0 ? "deleted" : "changed").\n"),
                finished.messages)
            let end = try await changed(query)
            XCTAssertEqual(end, wanted)
            XCTAssertEqual(try LedgerReader.differences(inStore: file, bucket: "shop"), [:])
        }
        let kinds = try tool.run("history", "--fields", "kind,quantity").results.split(separator: "\n")
        XCTAssertEqual(kinds.count { $0 == "correction\t3" }, count, "each once")
        XCTAssertEqual(kinds.count { $0 == "deletion\t-4" }, count)
    }
}
