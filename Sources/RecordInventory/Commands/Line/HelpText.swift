/// The texts of `--help`.
enum HelpText {
    static func text(of command: (any Command.Type)?) -> String {
        guard let command = command?.usage else { return overview }
        let usage = ["record-inventory", command.name, command.operands.placeholder, command.required, "[OPTIONS]"]
            .compactMap(\.self).joined(separator: " ")
        let own = command.options.isEmpty ? "" : "\nOptions:\n\(lines(command.options))\n"
        let examples = command.examples.map { "  record-inventory \($0)" }.joined(separator: "\n")
        return """
            Usage: \(usage)

            \(command.explanation)
            \(own)
            Global options, before or after the command:
            \(lines(Option.global))

            \(exitCodes)

            Examples:
            \(examples)
            """
    }

    private static let overview = """
        A record store's stock, in a file or on a Kinto server.

        Usage: record-inventory COMMAND [OPTIONS]

        Commands:
        \(aligned(CommandList.all.map { $0.usage }.map { ("\($0.name) \($0.operands.placeholder ?? "")", $0.summary) }))

        `record-inventory COMMAND --help` explains a command.

        Global options, before or after the command:
        \(lines(Option.global))

        \(defaultStore)

        \(amounts)

        The account comes from RECORD_INVENTORY_USER and RECORD_INVENTORY_PASSWORD_FILE, never from an option.
        Without one, requests carry no credentials.

        \(exitCodes)

        Examples:
          record-inventory import inventory.csv --currency EUR
          record-inventory list --search blue --where max_price=20
          record-inventory sell LP-0042
        """

    private static let exitCodes =
        "Exit codes:\n\(aligned(ExitCode.allCases.map { ("\($0.rawValue)", $0.text) }))"

    /// How JSON shows amounts.
    static let amounts = """
        Amounts in JSON are in minor units: 1850 is 18.50 EUR. An amount with its currency also has `decimal`, as text.
        """

    /// Where the stock is if no place is named.
    static let defaultStore = """
        Unless you name another place, the stock is in record-inventory/stock.sqlite in $XDG_DATA_HOME, or in
        ~/.local/share if that is not set (~/Library/Application Support on a Mac).
        """

    /// The names of all fields, on two lines.
    static let fields: String = {
        let names = RecordField.allCases.map(\.rawValue)
        return "  \(names[..<10].joined(separator: " "))\n  \(names[10...].joined(separator: " "))"
    }()

    private static func lines(_ options: [Option]) -> String {
        aligned(options.map { ([$0.name, $0.value?.placeholder].compactMap(\.self).joined(separator: " "), $0.help) })
    }

    private static func aligned(_ rows: [(String, String)]) -> String {
        let width = rows.map(\.0.count).max() ?? 0
        return rows.map { term, text in
            text.isEmpty ? "  \(term)" : "  \(term)\(String(repeating: " ", count: width - term.count))  \(text)"
        }.joined(separator: "\n")
    }
}
