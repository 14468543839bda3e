import Foundation

extension Workload {
    /// The whole tool: CSV, requests, the interceptors, the embedded store's HTTP contract, SQLite.
    static let importing = Workload(
        name: "import", title: "100,000 records into a new embedded store", unit: "s", count: 100_000, quickCount: 100
    ) {
        let tool = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appending(path: "record-inventory")
        guard FileManager.default.isExecutableFile(atPath: tool.path) else {
            throw MissingTool("record-inventory", "type: swift build --configuration release")
        }
        return [
            Client("record-inventory") { count in
                let folder = FileManager.default.temporaryDirectory.appending(path: "benchmark-\(UUID().uuidString)")
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
                defer { try? FileManager.default.removeItem(at: folder) }
                let file = folder.appending(path: "records.csv")
                try Data(records(count).utf8).write(to: file)
                let start = ContinuousClock.now
                try Command.run(
                    tool, ["import", file.path, "--store", folder.appending(path: "store").path, "--quiet"])
                return (ContinuousClock.now - start).microseconds / 1_000_000
            }
        ]
    }

    private static func records(_ count: Int) -> String {
        let header = "sku,artist,title,year,media_condition,price,currency,quantity\n"
        return (1...count).reduce(into: header) { text, number in
            text += "LP-\(number),Artist \(number % 977),Title \(number),\(1950 + number % 70),VG+,"
            text += "\(number % 60 + 3).\(number % 90 + 10),EUR,\(number % 4 + 1)\n"
        }
    }
}
