import RecordKitJSON
import Foundation

/// Copies the whole stock to a file.
struct BackupCommand: Command {
    let path: String
    var replaces = false

    static let usage = CommandUsage(
        name: "backup", synonyms: ["dump", "save"], operands: CommandUsage.Operands("FILE", .file),
        summary: "copy the whole stock to a file",
        explanation: """
            Copies everything to FILE as it is at one moment, although tills sell meanwhile: records, movements and all
            other collections. The copy is a store itself, with a digest of its contents: of a store it has all shops,
            of a server the one shop. An older FILE is replaced when the copy is complete, after a question on a
            terminal, or with --replace. restore takes it in either place: that is how a shop moves to a server, and
            back.
            """,
        options: [.replace], examples: ["backup stock-2026-11-24.backup"])

    init(_ arguments: ArgumentScanner) throws(UsageError) {
        path = arguments.operands.first ?? ""
        replaces = arguments.has("--replace")
        guard path != "-" else { throw UsageError("backup writes a file, not standard output") }
    }

    func run(in context: CommandContext) async throws -> ExitCode {
        try checkFile()
        guard try context.mayWrite(path, replaces: replaces, "back up") else { return .failed }
        let numbers: ShopNumbers
        if let store = context.place.file {
            numbers = try await StoreBackup.write(store, to: path, patience: context.options.timeout)
        } else {
            let copy = try ShopCopy()
            guard try await context.readShop(into: copy, "Reading") else {
                throw CommandFailure(.notFound, "nothing was backed up: \(context.noShop); check the names")
            }
            numbers = try StoreBackup.write(copy.database, to: path)
        }
        let shops = numbers.keys.sorted()
        try context.reporter.print(numbers, of: shops, ["backup"])
        context.console.note("Backed up \(shops.joined(separator: ", ")) to \(path).")
        return .done
    }

    /// Throws if there is a device or a pipe at the path, which the copy would replace.
    private func checkFile() throws {
        var status = stat()
        guard stat(path, &status) == 0, ![S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT) else { return }
        throw UsageError(
            "\(path.printable) is a device or a pipe, which cannot hold a store; back up to a file")
    }
}

extension CommandContext {
    /// Reads the shop on the server. Returns whether there is one.
    func readShop(into copy: ShopCopy, _ title: String) async throws -> Bool {
        let bar = await progress(title, withMovements: true)
        defer { bar.finish() }
        let shop = ServerShop(server: stock.server, bucket: stock.bucket) { bar.update($0) }
        return try await shop.read(into: copy)
    }
}

extension Reporter {
    /// Prints the numbers of shops: a column for each state that is compared.
    func print(_ states: ShopNumbers..., of shops: [String], _ titles: [String]) throws {
        let columns =
            [Table.Column("shop"), Table.Column("what", staysWhole: true)]
            + titles.map { Table.Column($0, isNumeric: true, staysWhole: true) }
        var cells: [[String]] = []
        for shop in shops {
            let rows = states.map { $0[shop]?.rows ?? [] }
            var names: [String] = []
            for row in rows.joined() where !names.contains(row.name) { names.append(row.name) }
            for name in names {
                cells.append([shop, name] + rows.map { rows in rows.first { $0.name == name }?.number ?? "" })
            }
        }
        guard printsJSON else { return try console.print(cells, columns) }
        try print(
            .array(
                cells.map { row in
                    .object(
                        JSONObject(
                            zip(["shop", "what"] + titles, row).map { name, text in
                                JSONObject.Member(name: name, value: text.isEmpty ? .null : .string(text))
                            }))
                }))
    }
}
