import Foundation

/// Runs workloads. The clients of each take turns, A B C A B C …, so that a disturbance of the machine affects all of
/// them.
struct Runner {
    let isQuick: Bool
    let rounds: Int
    /// Whether the workloads were named. Other workloads are skipped if the machine lacks a program.
    let isChosen: Bool
    let watchdog: Watchdog

    func tables(of workloads: [Workload]) async throws -> [FigureTable] {
        var tables: [FigureTable] = []
        for workload in workloads where !isQuick || workload.quickCount > 0 {
            watchdog.watch(workload.name)
            do {
                let table = try await table(of: workload)
                table.print()
                tables.append(table)
            } catch let missing as MissingTool where !isChosen {
                FileHandle.standardError.write(Data("Not measured: \(workload.name): \(missing)\n".utf8))
            }
        }
        return tables
    }

    private func table(of workload: Workload) async throws -> FigureTable {
        let clients = try await workload.clients()
        let count = isQuick ? workload.quickCount : workload.count
        var figures = clients.map { Figures(name: $0.name, isReference: workload.isCompared && $0.isReference) }
        let rounds = isQuick ? 1 : min(rounds, workload.rounds ?? rounds)
        if rounds > 1 {
            for client in clients { _ = try await client.turn(max(count / 10, 1)) }
        }
        for _ in 0..<rounds {
            for (index, client) in clients.enumerated() {
                watchdog.watch("\(workload.name), \(client.name)")
                figures[index].samples.append(try await client.turn(count))
            }
        }
        withExtendedLifetime(clients) {}
        return FigureTable(
            name: workload.name, title: workload.title, unit: workload.unit, operations: count, rows: figures)
    }

    /// Runs one client of each workload, for a profiler or a counter.
    static func runOnce(_ workloads: [Workload], client name: String, count: Int) async throws {
        for workload in workloads {
            let clients = try await workload.clients()
            guard let client = clients.first(where: { $0.name == name }) else {
                throw ArgumentError.unknownClient(name)
            }
            _ = try await client.turn(count)
            withExtendedLifetime(clients) {}
        }
    }
}
