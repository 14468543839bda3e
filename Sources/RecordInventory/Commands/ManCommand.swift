/// Prints the manual page.
struct ManCommand: Command {
    static let usage = CommandUsage(
        name: "man", summary: "print the manual page",
        explanation: """
            Prints the manual page, in mdoc. To read it, type `record-inventory man | man -l -`. Scripts/install puts it
            where `man record-inventory` finds it.
            """,
        options: [], examples: ["man"], worksWithoutStore: true)

    init(_ arguments: ArgumentScanner) throws(UsageError) {}

    func run(in context: CommandContext) async throws -> ExitCode {
        try context.console.print(ManualPage.text)
        return .done
    }
}
