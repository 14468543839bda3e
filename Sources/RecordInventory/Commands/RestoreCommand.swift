import Foundation

/// Replaces the stock by the one in a backup.
struct RestoreCommand: Command {
    let path: String
    let isConfirmed: Bool

    static let usage = CommandUsage(
        name: "restore", operands: CommandUsage.Operands("FILE", .file), summary: "replace the stock by a backup",
        explanation: """
            Checks FILE, a backup or a store, and compares it with the stock. A single shop is restored under the name
            of --bucket, whatever its name was. Replaces the stock only at a terminal after a question, or with --yes,
            and keeps the earlier state in a file beside the store, or beside FILE for a server. Compares the numbers of
            both at the end, and prints them; if they differ, the exit code is 7.

            A till that has the store open goes on with the restored one. On a server the restoring takes many requests:
            let no till sell meanwhile. If it is interrupted there, nothing is changed until it is restored again.
            """,
        options: [Option("--yes", help: "do not ask before the stock is replaced"), .dryRun],
        examples: ["restore stock.backup --dry-run", "--server http://127.0.0.1:8888/v1 restore stock.backup --yes"],
        worksWithoutStore: true)

    init(_ arguments: ArgumentScanner) throws(UsageError) {
        path = arguments.operands.first ?? ""
        isConfirmed = arguments.has("--yes")
    }

    func run(in context: CommandContext) async throws -> ExitCode {
        let console = context.console
        let backup = try readBackup(in: context)
        try context.place.checkTarget(path, of: "restore")
        var target = Target(context: context, path: path)
        let numbers = try ShopNumbers.of(backup).filter { target.takes($0.key) }
        guard !numbers.isEmpty else {
            let names = try backup.shops.joined(separator: ", ")
            throw CommandFailure(
                .notFound, "nothing was restored: \(path) has no shop \(context.stock.bucket); give --bucket (\(names))"
            )
        }
        let shops = numbers.keys.sorted()
        var present = try await target.present()
        let lost = present.keys.filter { numbers[$0] == nil }.sorted()
        guard lost.isEmpty else {
            throw CommandFailure(
                .conflict,
                "nothing was restored: the store also has \(lost.joined(separator: ", ")), which \(path) lacks; "
                    + "restore to another file with --store")
        }
        let isEmpty = present.values.allSatisfy(\.isEmpty)
        if context.isDryRun {
            try context.reporter.print(present, numbers, of: shops, ["now", "backup"])
            console.note("Nothing was written. The stock would become that of \(path).")
            return .done
        }
        if !isEmpty, !isConfirmed {
            guard console.canAsk else {
                throw UsageError(
                    "there is a stock already, and restore asks only at a terminal; give --yes")
            }
            try context.reporter.print(present, numbers, of: shops, ["now", "backup"])
            guard try console.confirm("Replace the stock by that of \(path)?") == true else {
                console.note("Nothing was restored.")
                return .failed
            }
            // Others may have sold while the question was open.
            present = try await target.present()
        }
        let earlier = isEmpty ? nil : target.earlierPath()
        try await target.restore(backup, keeping: earlier)
        let restored = try await target.present()
        try context.reporter.print(numbers, restored, of: shops, ["backup", "restored"])
        if let earlier { console.note("The earlier state is in \(earlier).") }
        guard restored == numbers else {
            console.complain("the numbers differ from the backup's: a till may have sold since; look with `history`")
            return .partlyDone
        }
        console.note("Restored \(shops.joined(separator: ", ")) from \(path).")
        return .done
    }

    /// Reads the file. A single shop gets the name of the run.
    private func readBackup(in context: CommandContext) throws -> ShopCopy {
        do {
            let backup = try StoreBackup.read(path)
            let shops = try backup.shops
            if shops.count == 1, shops[0] != context.stock.bucket {
                try backup.rename(shops[0], to: context.stock.bucket)
            }
            return backup
        } catch let error as DamagedBackup {
            throw CommandFailure(.badData, error.description)
        } catch let error as EmbeddedStoreError {
            throw CommandFailure(.badData, "nothing was restored: \(error)")
        }
    }
}

extension RestoreCommand {
    /// The place that a backup is restored to.
    private struct Target {
        let context: CommandContext
        /// The file of the backup.
        let path: String
        /// The shop on the server as it was read last.
        var copy: ShopCopy?

        private var bucket: String { context.stock.bucket }

        /// A store takes all shops, a server the one of the run.
        func takes(_ shop: String) -> Bool { context.place.isStore || shop == bucket }

        /// Returns the numbers of what is there.
        mutating func present() async throws -> ShopNumbers {
            if context.place.isMissing { return [:] }
            if let store = context.place.file {
                return try await EmbeddedStore.retrying(for: context.options.timeout, isChange: false) {
                    try ShopNumbers.of(ShopCopy(try StoreFile.open(store)))
                }
            }
            let copy = try ShopCopy()
            guard try await context.readShop(into: copy, "Reading") else { return [:] }
            self.copy = copy
            return try ShopNumbers.of(copy)
        }

        /// Returns the path of a new file for the earlier state.
        func earlierPath() -> String {
            let digits = context.stock.source.now().text.prefix(19).filter(\.isNumber)
            let base = if case .store(let store) = context.place { store } else { path }
            let paths = (1...).lazy.map { "\(base).before-\(digits)\($0 == 1 ? "" : "-\($0)")" }
            return paths.first { access($0, F_OK) != 0 } ?? base
        }

        func restore(_ backup: ShopCopy, keeping earlier: String?) async throws {
            if let store = context.place.file {
                return try await StoreBackup.restore(
                    backup, to: store, keeping: earlier, patience: context.options.timeout)
            }
            if let earlier, let copy { try StoreBackup.write(copy.database, to: earlier) }
            let isSeen = context.console.showsProgress
            let total = isSeen ? try backup.summary(of: bucket).objects.values.reduce(0, +) : nil
            let bar = ProgressBar("Restoring", total: total, on: context.console)
            defer { bar.finish() }
            let limit = max(try await context.stock.settings().bulkLimit, 1)
            try await ServerShop(server: context.stock.server, bucket: bucket) { bar.update($0) }
                .write(backup, batchLimit: limit)
        }
    }
}
