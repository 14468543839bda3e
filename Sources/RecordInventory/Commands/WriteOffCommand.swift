/// Takes out copies that cannot be sold.
struct WriteOffCommand: Command {
    let move: CopyMove

    static let usage = CommandUsage(
        name: "write-off", operands: .onlyOne, summary: "take out copies that are lost or broken",
        explanation: "Takes out copies that are lost, stolen or broken. Accepts a barcode too.",
        options: [.copies, .reason, .id, .dryRun, .recordFields],
        examples: ["write-off LP-0042 --reason 'broken in transit'"])

    func run(in context: CommandContext) async throws -> ExitCode {
        try await CopyMover(context: context).run(move)
    }
}

extension WriteOffCommand {
    init(_ arguments: ArgumentScanner) throws(UsageError) {
        move = try CopyMove(.writeOff, arguments)
    }
}
