import Foundation

/// Prints a script that completes command lines in a shell.
struct CompletionsCommand: Command {
    /// A kind of value that only the stock knows.
    enum Values: String, CaseIterable, Sendable {
        case sku, shelf
    }

    enum Action: Equatable, Sendable {
        case script(CompletionScript.Shell)
        case values(Values, prefix: String)
    }

    let action: Action

    static let usage = CommandUsage(
        name: "completions",
        operands: CommandUsage.Operands(
            "SHELL", .choice("SHELL", CompletionScript.Shell.allCases.map(\.rawValue)), count: 0...1, canBeEmpty: true),
        summary: "print a script that completes command lines",
        explanation: """
            Prints a script for bash, zsh or fish, which completes commands, options, fields, files, and the SKUs and
            places of an embedded store. For bash, add `eval "$(record-inventory completions bash)"` to ~/.bashrc. For
            zsh, save it as _record-inventory in a folder of $fpath. For fish, save it as
            ~/.config/fish/completions/record-inventory.fish. With --values, prints the values that begin with the
            operand.
            """,
        options: [
            Option("--values", .choice("KIND", Values.allCases.map(\.rawValue)), help: "sku or shelf, for the scripts")
        ],
        examples: ["completions bash", "completions --values sku LP-"], worksWithoutStore: true)

    func run(in context: CommandContext) async throws -> ExitCode {
        switch action {
        case .script(let shell):
            try context.console.print(CompletionScript.text(for: shell))
        case .values(let values, let prefix):
            // Completing must not wait for a server, or create a store.
            guard context.place.respondsAtOnce, !context.place.isMissing else { break }
            for value in try await Self.values(values, prefix, in: context.stock) {
                try context.console.print(value.escapedForTabs)
            }
        }
        return .done
    }

    private static let most = 200

    /// Returns the values in the stock that begin with a prefix, sorted.
    private static func values(_ values: Values, _ prefix: String, in stock: Stock) async throws -> [String] {
        var found: Set<String> = []
        do {
            for filter in values == .sku ? ranges(of: prefix) : [RecordFilter()] {
                let end = ContinuousClock.now + .milliseconds(30)
                try await stock.eachPage(filter) { page in
                    for record in page.items.lazy.map(\.record) {
                        let value = values == .sku ? record.sku.text : record.location ?? ""
                        if !value.isEmpty, value.hasPrefix(prefix) { found.insert(value) }
                    }
                    // A person waits. In a large stock, the first shelves are enough.
                    return found.count < most && ContinuousClock.now < end
                }
            }
        } catch InventoryError.noShop {
            return []
        }
        return Array(found.sorted().prefix(most))
    }

    /// Returns filters for the records whose SKU may begin with a prefix. A SKU with other characters than those of an
    /// id has an id of its own form.
    private static func ranges(of prefix: String) -> [RecordFilter] {
        guard let sku = try? SKU(prefix) else { return [RecordFilter(pageSize: most)] }
        let escaped = sku.text.escapedKintoID
        let starts = sku.recordID == prefix ? [prefix, escaped] : [escaped]
        // "{" follows all characters of ids.
        return starts.map { RecordFilter(ids: $0..<($0 + "{"), pageSize: most) }
    }
}

extension CompletionsCommand {
    init(_ arguments: ArgumentScanner) throws(UsageError) {
        let operand = arguments.operands.first
        if let values: Values = try arguments.choice("--values") {
            action = .values(values, prefix: operand ?? "")
            return
        }
        let names = CompletionScript.Shell.allCases.map(\.rawValue).joined(separator: ", ")
        guard let operand else { throw UsageError("completions requires a shell: \(names)") }
        guard let shell = CompletionScript.Shell(rawValue: operand) else {
            throw UsageError("there are no completions for \"\(operand.shown)\"; take one of \(names)")
        }
        action = .script(shell)
    }
}
