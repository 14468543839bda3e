/// Prints a script that completes command lines in a shell, or what the script asks for.
struct CompletionsCommand: Command {
    /// The shell whose script is printed. `nil` completes the words.
    let shell: CompletionScript?
    /// The words so far, without the name of the tool.
    let words: [String]

    static let usage = CommandUsage(
        name: "completions",
        operands: CommandUsage.Operands(
            "SHELL", .choice("SHELL", CompletionScript.allCases.map(\.rawValue)), count: 0...Int.max, canBeEmpty: true),
        summary: "print a script that completes command lines",
        explanation: """
            Prints a script for bash, zsh or fish, which completes commands, options, fields, files, and the SKUs,
            places and kinds of payment of an embedded store. For bash, add `eval "$(record-inventory completions
            bash)"` to ~/.bashrc. For zsh, save it as _record-inventory in a folder of $fpath. For fish, save it as
            ~/.config/fish/completions/record-inventory.fish. The script asks the tool with --words.
            """,
        options: [Option("--words", help: "complete the last of the words behind --, for the scripts")],
        examples: ["completions bash", "completions --words -- sell LP-"], worksWithoutStore: true)

    init(_ arguments: ArgumentScanner) throws(UsageError) {
        words = arguments.operands
        if arguments.has("--words") {
            shell = nil
            return
        }
        let names = CompletionScript.allCases.map(\.rawValue).joined(separator: ", ")
        guard let word = words.first else { throw UsageError("completions requires a shell: \(names)") }
        guard words.count == 1, let shell = CompletionScript(rawValue: word) else {
            throw UsageError(
                "there are no completions for \"\(words.joined(separator: " ").shown)\"; take one of \(names)")
        }
        self.shell = shell
    }

    /// Takes the place of the stock from the words.
    func adjust(_ options: inout GlobalOptions, _ arguments: ArgumentScanner) {
        for (index, word) in words.enumerated() {
            let (name, attached) = ArgumentScanner.split(word)
            guard let key = ConfigFile.Key(rawValue: String(name.dropFirst(2))),
                [.store, .server, .bucket].contains(key)
            else { continue }
            options.settings[key] = attached ?? words.dropFirst(index + 1).first
        }
    }

    func run(in context: CommandContext) async throws -> ExitCode {
        if let shell {
            try context.console.print(shell.text)
        } else {
            for line in try await Completion(words).lines(in: context) { try context.console.print(line) }
        }
        return .done
    }
}
