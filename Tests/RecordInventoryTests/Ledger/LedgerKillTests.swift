import RecordKitJSON
import RecordKit
import TestSupport
import XCTest

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@testable import RecordInventory

/// Two processes at once, of `import`, `import` again and `doctor`, killed at random moments. `RECORDKIT_KILLS` sets
/// the number of rounds.
final class LedgerKillTests: TimedTestCase {
    private static let rounds = ProcessInfo.processInfo.environment["RECORDKIT_KILLS"].flatMap { Int($0) } ?? 3
    override var timeLimit: TimeInterval { max(super.timeLimit, Double(Self.rounds) * 60) }

    /// A shop to be damaged and read without the tool.
    private struct Shop {
        let tool: Tool
        /// Whether the differences that are read are among those that may be.
        let differences: (_ expected: @escaping ([String: Int]) -> Bool) async throws -> [String: Int]
        let send: (_ method: String, _ path: String, _ body: String?) async throws -> Int
    }

    func testAKilledProcessLeavesTheLedgerWhole() async throws {
        let folder = try TemporaryFolder()
        let file = folder.path("stock.sqlite")
        try await run(folder, rows: 1_500) { bucket in
            let store = EmbeddedStore(file: URL(filePath: file))
            return Shop(
                tool: Tool(store: file, options: ["--bucket", bucket]),
                differences: { _ in try LedgerReader.differences(inStore: file, bucket: bucket) },
                send: { method, path, body in
                    try await store.respond(
                        to: StoreRequest(
                            method: HTTPMethod(rawValue: method), path: "/v1/buckets/\(bucket)/collections/\(path)",
                            body: .bytes(Data((body ?? "").utf8)))
                    ).status
                })
        }
    }

    func testAKilledProcessLeavesTheLedgerWholeOnKinto() async throws {
        guard let kinto = try LiveKinto.find(for: "killed imports", needsTransactions: true) else { return }
        let folder = try TemporaryFolder()
        var tool = try kinto.tool(folder, bucket: "")
        try await run(folder, rows: 90) { bucket in
            tool.options = ["--bucket", bucket]
            return Shop(
                tool: tool,
                differences: { expected in
                    try await LedgerReader.differences(
                        onServer: kinto.address, kinto.authorization, bucket: bucket, expected: expected)
                },
                send: { method, path, body in
                    let url = try XCTUnwrap(URL(string: "\(kinto.address)/buckets/\(bucket)/collections/\(path)"))
                    var request = URLRequest(url: url)
                    request.httpMethod = method
                    request.setValue(kinto.authorization, forHTTPHeaderField: "Authorization")
                    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
                    request.httpBody = body.map { Data($0.utf8) }
                    let response = try await URLSession.shared.data(for: request).1 as? HTTPURLResponse
                    return response?.statusCode ?? 0
                })
        }
    }

    private func file(_ folder: TemporaryFolder, _ name: String, _ rows: Int, quantity: Int) throws -> String {
        let rows = (0..<rows).map { "\($0 < 20 ? "D" : "I")-\($0),A,T,1,EUR,\(quantity)\n" }.joined()
        return try folder.write("sku,artist,title,price,currency,quantity\n\(rows)".utf8, to: name)
    }

    private func run(_ folder: TemporaryFolder, rows: Int, _ shop: (_ bucket: String) -> Shop) async throws {
        let sets = ["--on-duplicate", "update", "--set-quantity"]
        let name = "kills-\(UUID().uuidString.lowercased())"
        var (killed, ended) = ([String: Int](), 0)
        // Kills fall into the time that an import takes.
        let whole = ContinuousClock.now
        let imported = try shop("\(name)-whole").tool.run("import", try file(folder, "whole.csv", rows, quantity: 0))
        XCTAssertEqual(imported.exitCode, 0, imported.messages)
        var longest = (ContinuousClock.now - whole) / .seconds(1)
        var round = 0
        // The machine may be quicker by now than it was with the first import.
        while round < Self.rounds || killed.isEmpty && round < 20 {
            // Every fifth round, all is new.
            let shop = shop("\(name)-\(round / 5)")
            let first = try file(folder, "first.csv", rows, quantity: 0)
            let again = try file(folder, "again.csv", rows, quantity: 1 + round % 4)
            if round % 5 != 0 {
                let few = try shop.tool.run("import", try file(folder, "few.csv", 20, quantity: 2))
                XCTAssertEqual(few.exitCode, 0, few.messages)
                let healed = try shop.tool.run("doctor")
                XCTAssertEqual(healed.exitCode, 0, healed.messages)
            }
            let damage = round % 5 == 0 ? [:] : try await damage(shop)
            let isWhole: ([String: Int]) -> Bool = { $0.allSatisfy { damage[$0.key] == $0.value } }

            let jobs = [
                ["import", first], ["import", again] + sets, ["doctor"], ["import", first], ["import", again] + sets,
            ]
            let pair = [jobs[round % 5 == 0 ? 0 : .random(in: 0..<5)], jobs[.random(in: 0..<5)]]
            let processes = try pair.map { try shop.tool.start($0 + ["--quiet"]) }
            for process in processes {
                let number = process.processIdentifier
                DispatchQueue.global().asyncAfter(deadline: .now() + .random(in: 0...longest)) {
                    if process.isRunning { kill(number, SIGKILL) }
                }
            }
            for (process, job) in zip(processes, pair) {
                process.waitUntilExit()
                if process.terminationReason == .uncaughtSignal {
                    killed[job.count > 2 ? "import again" : job[0], default: 0] += 1
                } else {
                    ended += 1
                }
            }
            let differences = try await shop.differences(isWhole)
            XCTAssertTrue(isWhole(differences), "round \(round), \(pair): \(differences), damaged before: \(damage)")
            if killed.isEmpty { longest /= 2 }
            round += 1
        }
        print("\(round) rounds: killed \(killed), ended \(ended)")
        XCTAssertGreaterThan(killed.values.reduce(0, +), 0, "no kill met a process")
    }

    /// Changes some records as another program may, which writes no movements. Returns the differences.
    private func damage(_ shop: Shop) async throws -> [String: Int] {
        assertEqual(try await shop.differences { $0.isEmpty }, [:])
        for number in 0..<20 {
            if number.isMultiple(of: 2) {
                _ = try await shop.send("PATCH", "records/records/D-\(number)", #"{"data":{"quantity":7}}"#)
            } else {
                _ = try await shop.send("DELETE", "movements/records/opening-D-\(number)", nil)
            }
        }
        return try await shop.differences { _ in true }
    }
}
