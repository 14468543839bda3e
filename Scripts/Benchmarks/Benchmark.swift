import Dispatch
import Foundation

/// Compares RecordKit with handwritten URLSession code.
@main
enum Benchmark {
    /// Not `async`: the main thread would end in a wait that crashes valgrind, and each call would include hops from
    /// the main actor and back.
    static func main() {
        Task.detached {
            do {
                try await run(Arguments(CommandLine.arguments.dropFirst()))
                exit(0)
            } catch {
                FileHandle.standardError.write(Data("benchmark: \(error)\n".utf8))
                exit(1)
            }
        }
        DispatchSemaphore(value: 0).wait()
    }

    private static func run(_ arguments: Arguments) async throws {
        if arguments.printsHelp { return print(Arguments.help) }
        let workloads = Workload.all.filter { arguments.selects($0.name) }
        if workloads.isEmpty { throw ArgumentError.unknownWorkload(arguments.names) }

        if let client = arguments.client {
            return try await Runner.runOnce(workloads, client: client, count: arguments.count)
        }
        let watchdog = Watchdog(limit: arguments.limit ?? (arguments.isQuick ? 100 : nil))
        let runner = Runner(
            isQuick: arguments.isQuick, rounds: arguments.rounds, isChosen: !arguments.names.isEmpty,
            watchdog: watchdog)
        let tables =
            arguments.countsInstructions
            ? try await InstructionCounter.tables(of: workloads) : try await runner.tables(of: workloads)
        if let path = arguments.jsonPath {
            try Report(tables).json().write(to: URL(filePath: path))
        }
    }
}
