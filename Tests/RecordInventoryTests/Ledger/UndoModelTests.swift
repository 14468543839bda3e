import RecordKit
import RecordKitJSON
import TestSupport
import XCTest

@testable import RecordInventory

/// Random commands of four tills as processes, with undo of any. After 50 of each they pause, and close. The old and
/// new values of a record's movements are a chain: in the order of the record's versions, each begins with what the one
/// before ended with. `RECORDKIT_UNDO` sets the number of commands.
final class UndoModelTests: TimedTestCase {
    private static let count = ProcessInfo.processInfo.environment["RECORDKIT_UNDO"].flatMap { Int($0) } ?? 200
    override var timeLimit: TimeInterval { max(super.timeLimit, Double(Self.count)) }

    private static let skus = ["A", "B", "C"]

    func testTheMovementsOfARecordAreAChain() async throws {
        let till = try Till()
        for sku in Self.skus { _ = await till.type(Self.addition(sku) + ["--id", "N-\(sku)"]) }
        let tool = Tool(store: till.folder.path("stock.sqlite"))
        var undone = 0
        for start in stride(from: 0, to: Self.count / 4, by: 50) {
            // A till waits for its processes, so each has a thread of its own.
            let ended = DispatchGroup()
            for number in 0..<4 {
                ended.enter()
                Thread.detachNewThread {
                    defer { ended.leave() }
                    let open = [["till", "open", "--float", "50.00"]], close = [["till", "close", "--z"]]
                    let commands = (start..<min(start + 50, Self.count / 4)).map { Self.command(number, $0) }
                    for command in open + commands + close {
                        let outcome = try? tool.run(command + ["--till", "till-\(number)"])
                        XCTAssertTrue(
                            [0, 1, 3, 5, 7].contains(outcome?.exitCode), "\(command): \(outcome?.messages ?? "")")
                    }
                }
            }
            await withCheckedContinuation { continuation in ended.notify(queue: .global()) { continuation.resume() } }
            undone = try await check(till)
            try LedgerReader.compareClosings(LedgerReader.lists(inStore: tool.store, bucket: "shop"))
        }
        XCTAssertGreaterThan(undone, 0)
    }

    /// Compares the records with the chains of their movements. Returns the number of those that undo.
    private func check(_ till: Till) async throws -> Int {
        let silent = await till.type("doctor", "--dry-run")
        XCTAssertTrue(silent.messages.contains("Every quantity is the sum"), silent.messages)
        let list = try await till.store.respond(
            to: StoreRequest(
                method: .get, path: "/v1/buckets/shop/collections/movements/records",
                query: "_sort=last_modified&_limit=10000"))
        let objects = try JSONView(stored: list.body).last("data")?.elements ?? []
        let stock = Stock(over: till.transport)
        var undone = 0
        for sku in Self.skus {
            // An opening has the version of no record: it begins a life, and the deletion before it ends one.
            var lives = objects.filter { $0.last("sku")?.string == sku && $0.last("kind")?.string == "opening" }.count
            var values: [String: JSONValue]? = [:]
            for object in objects where object.last("sku")?.string == sku && object.last("kind")?.string != "opening" {
                let movement = try Movement(object)
                if movement.command?.hasPrefix("undo-") == true { undone += 1 }
                for change in movement.changes ?? [] where movement.kind != .deletion {
                    let now = values?[change.field] ?? change.from
                    XCTAssertEqual(now, change.from, "\(sku): \(movement.id) \(change.text)")
                    values?[change.field] = change.to
                }
                guard movement.kind == .deletion else { continue }
                lives -= 1
                // The next record with the SKU is new, or this one again.
                values = [:]
            }
            let record = try await stock.find(try SKU(sku))?.record
            XCTAssertEqual(lives, record == nil ? 0 : 1, sku)
            for (name, value) in values ?? [:] {
                guard let record, let field = RecordField(rawValue: name) else { continue }
                XCTAssertEqual(field.undoable(record), value, "\(sku): \(name)")
            }
        }
        return undone
    }

    private static func addition(_ sku: String) -> [String] {
        [
            "add", "--sku", sku, "--artist", "A", "--title", "T", "--price", "10", "--currency", "EUR", "--genre", "G",
            "--quantity", "5", "--cost", "4",
        ]
    }

    private static func command(_ till: Int, _ index: Int) -> [String] {
        let (id, sku) = ("T\(till)-\(index)", skus.randomElement() ?? "")
        // One of the latest commands that were made, or one that is to come.
        let other = "T\(Int.random(in: 0..<4))-\(Int.random(in: max(0, index - 20)...index))"
        switch Int.random(in: 0..<20) {
        case 0..<4: return ["edit", sku, "--price", "\(Int.random(in: 1...30))", "--id", id]
        case 4, 5: return ["edit", "--where", "artist=A", "--price", "+10%", "--yes", "--id", id]
        case 6, 7:
            return ["edit", sku, "--genre", ["G", "H", "I"].randomElement() ?? "", "--quantity", "3", "--id", id]
        case 8: return ["edit", sku, "--clear", "genre", "--id", id]
        case 9, 10: return ["sell", sku, "--payment", ["cash", "card"].randomElement() ?? "", "--id", id]
        case 11: return ["restock", sku, "-n", "2", "--id", id]
        case 12: return ["trade-in", sku, "--price", "\(Int.random(in: 1...9))", "--id", id]
        case 13: return ["delete", sku, "--yes", "--id", id]
        case 14: return addition(sku) + ["--id", id]
        default: return ["undo", other]
        }
    }
}
