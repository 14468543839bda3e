import Foundation

/// Counts the instructions of an operation. valgrind runs a client with two numbers of operations. The difference
/// excludes the cost of the start.
enum InstructionCounter {
    static func tables(of workloads: [Workload]) async throws -> [FigureTable] {
        var tables: [FigureTable] = []
        for workload in workloads {
            guard let count = workload.instructionCount else { continue }
            var rows: [Figures] = []
            for client in try await workload.clients() {
                let few = try instructions(workload, client, count: count / 4)
                let many = try instructions(workload, client, count: count / 4 + count)
                rows.append(
                    Figures(
                        name: client.name, isReference: client.isReference,
                        samples: [Double(many - few) / Double(count)]))
            }
            let table = FigureTable(
                name: workload.name, title: workload.title, unit: "instructions", operations: count, rows: rows)
            table.print()
            tables.append(table)
        }
        return tables
    }

    private static func instructions(_ workload: Workload, _ client: Client, count: Int) throws -> Int {
        let file = FileManager.default.temporaryDirectory.appending(path: "callgrind-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        do {
            try Command.run(
                "valgrind",
                [
                    "--tool=callgrind", "--quiet", "--callgrind-out-file=\(file.path)", CommandLine.arguments[0],
                    workload.name, "--run", client.name, "--count", String(count),
                ],
                // Random hash seeds would change the count from run to run.
                environment: client.environment.merging(["SWIFT_DETERMINISTIC_HASHING": "1"]) { $1 })
        } catch let failure as CommandFailure where failure.status == 127 {
            throw MissingTool("valgrind", "on Debian and Ubuntu: sudo apt-get install valgrind")
        }
        let text = try String(contentsOf: file, encoding: .utf8)
        let total = text.split(separator: "\n").last { $0.hasPrefix("totals:") || $0.hasPrefix("summary:") }
        guard let words = total?.split(separator: " "), words.count > 1, let number = Int(words[1]) else {
            throw WrongAnswer("callgrind wrote no total")
        }
        return number
    }
}
