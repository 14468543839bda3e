/// Takes out copies that cannot be sold.
struct WriteOffCommand: CopyCommand {
    static let kind = Movement.Kind.writeOff

    let move: CopyMove

    static let usage = CommandUsage(
        name: "write-off", operands: .onlyOne, summary: "take out copies that are lost or broken",
        explanation: """
            Takes out copies that are lost, stolen or broken. Accepts a barcode too. Takes a reserved copy only with
            --force, and names the customer.
            """,
        options: [
            .copies, Option("--force", help: "also take reserved copies"), .reason, .id, .dryRun, .recordFields,
        ],
        examples: ["write-off LP-0042 --reason 'broken in transit'"])
}
