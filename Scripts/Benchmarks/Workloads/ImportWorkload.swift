import Foundation

// The tool beside the `sqlite3` program and a short Python script, which do the same with their own tables: records,
// opening movements, and an index of words.
extension Workload {
    /// The whole tool: CSV, requests, the interceptors, the embedded store's HTTP contract, SQLite.
    static let importing = Workload(
        name: "import", title: "CPU time to import 100,000 records into a new store", unit: "s", count: 100_000,
        quickCount: 100
    ) {
        try Shop.all().map { shop in
            Client(shop.name, isReference: shop.isReference) { count in
                let folder = try ShopFolder()
                let file = try folder.records(count)
                return try CPUTime.spent { try shop.run("import", folder.store, file) }
            }
        }
    }

    static let listing = Workload(
        name: "list-records", title: "CPU time to list 100,000 records in the order of their SKUs", unit: "s",
        count: 100_000, quickCount: 100
    ) {
        try Shop.all().map { shop in try shop.client { try shop.run("list", $0.store, "") } }
    }

    static let searching = Workload(
        name: "search-records", title: "CPU time of a program that searches 100,000 records for one in 1,000",
        unit: "s",
        count: 100_000, quickCount: 1_000
    ) {
        try Shop.all().map { shop in try shop.client { try shop.run("search", $0.store, "artist 17") } }
    }

    static let selling = Workload(
        name: "sell", title: "CPU time of a program that sells one of 100,000 records", unit: "s", count: 100_000,
        quickCount: 100
    ) {
        try Shop.all().map { shop in try shop.client { try shop.run("sell", $0.store, "LP-17") } }
    }
}

/// A program that keeps the stock of a shop.
private struct Shop: Sendable {
    let name: String
    let isReference: Bool
    /// Runs a command with a store and an argument: the file to import, the words to search for, the SKU to sell.
    let run: @Sendable (String, URL, String) throws -> Void

    static func all() throws -> [Shop] {
        let sibling = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appending(path: "record-inventory")
        let tool = ProcessInfo.processInfo.environment["RECORD_INVENTORY"].map { URL(filePath: $0) } ?? sibling
        guard FileManager.default.isExecutableFile(atPath: tool.path) else {
            throw MissingTool("record-inventory", "type: swift build --configuration release")
        }
        let own = Shop(name: "record-inventory", isReference: false) { command, store, argument in
            let arguments =
                switch command {
                case "list": ["list"]
                case "search": ["list", "--search", argument]
                default: [command, argument]
                }
            try Command.run(tool, arguments + ["--store", store.path, "--quiet"])
        }
        let python = Shop(name: "Python", isReference: true) { command, store, argument in
            try Command.run("python3", ["-c", ShopScripts.python, command, store.path, argument])
        }
        let sqlite = Shop(name: "sqlite3", isReference: false) { command, store, argument in
            try Command.run("sqlite3", ["-batch", store.path] + ShopScripts.sql(command, argument))
        }
        return [own]
            + [python, sqlite].filter { program in
                (try? Command.run(program.name.lowercased() == "python" ? "python3" : "sqlite3", ["--version"])) != nil
            }
    }

    /// Returns a client that works on a stock of as many records as the workload has operations.
    func client(_ work: @escaping @Sendable (ShopFolder) throws -> Void) throws -> Client {
        let folders = ShopFolders()
        return Client(name, isReference: isReference, holding: folders) { count in
            let folder = try await folders.folder(count) { folder in
                try run("import", folder.store, folder.records(count))
            }
            return try CPUTime.spent { try work(folder) }
        }
    }
}

/// The stocks of a program, by their size.
private actor ShopFolders {
    private var folders: [Int: ShopFolder] = [:]

    func folder(_ count: Int, _ fill: (ShopFolder) throws -> Void) throws -> ShopFolder {
        if let folder = folders[count] { return folder }
        let folder = try ShopFolder()
        try fill(folder)
        folders[count] = folder
        return folder
    }
}

/// A temporary folder, which is removed with the last reference to this object.
private final class ShopFolder: Sendable {
    private let url: URL

    var store: URL { url.appending(path: "store") }

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "benchmark-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    /// Writes records, and returns the path of the file.
    func records(_ count: Int) throws -> String {
        let file = url.appending(path: "records.csv")
        let header = "sku,artist,title,label,catalogue_number,year,barcode,media_condition,price,currency,quantity\n"
        let text = (1...count).reduce(into: header) { text, number in
            text += "LP-\(number),Artist \(number % 977),Title \(number),Label \(number % 500),TPLP \(number),"
            text += "\(1950 + number % 70),,VG+,\(number % 60 + 3).\(number % 90 + 10),EUR,\(number % 4 + 100)\n"
        }
        try Data(text.utf8).write(to: file)
        return file.path
    }
}

/// The CPU time of programs that have ended, which other work on the machine changes little.
private enum CPUTime {
    static func spent(_ work: () throws -> Void) throws -> Double {
        let before = seconds
        try work()
        return seconds - before
    }

    private static var seconds: Double {
        var usage = rusage()
        #if canImport(Darwin)
        getrusage(RUSAGE_CHILDREN, &usage)
        #else
        getrusage(__rusage_who_t(RUSAGE_CHILDREN.rawValue), &usage)
        #endif
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1_000_000 }
        return seconds(usage.ru_utime) + seconds(usage.ru_stime)
    }
}
