/// A command that moves copies of records in or out, as it is typed.
protocol CopyCommand: Command {
    static var kind: Movement.Kind { get }
    var move: CopyMove { get }

    init(move: CopyMove)
}

extension CopyCommand {
    init(_ arguments: ArgumentScanner) throws(UsageError) {
        self.init(move: try CopyMove(Self.kind, arguments))
    }

    func run(in context: CommandContext) async throws -> ExitCode {
        try await CopyMover(context: context).run(move)
    }
}

extension CommandUsage.Operands {
    /// One record, where a person may expect that several can be given, as to `sell`.
    static let onlyOne = CommandUsage.Operands("SKU", .sku, advice: "; only sell takes several")
}
