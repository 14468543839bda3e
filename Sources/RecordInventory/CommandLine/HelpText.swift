/// The texts of `--help`.
enum HelpText {
    static func text(of command: CommandName?) -> String {
        guard let command else { return overview }
        let usage = ["record-inventory", command.rawValue, command.operand, command.requiredOptions, "[OPTIONS]"]
            .compactMap(\.self).joined(separator: " ")
        let own = command.options.isEmpty ? "" : "\nOptions:\n\(lines(command.options))\n"
        let examples = command.examples.map { "  record-inventory \($0)" }.joined(separator: "\n")
        return """
            Usage: \(usage)

            \(command.explanation)
            \(own)
            Global options, before or after the command:
            \(lines(Option.global))

            Examples:
            \(examples)
            """
    }

    private static let overview = """
        A record store's stock, in a file or on a Kinto server.

        Usage: record-inventory COMMAND [OPTIONS]

        Commands:
        \(aligned(CommandName.allCases.map { ("\($0.rawValue) \($0.operand ?? "")", $0.summary) }))

        `record-inventory COMMAND --help` explains a command.

        Global options, before or after the command:
        \(lines(Option.global))

        The account comes from RECORD_INVENTORY_USER and RECORD_INVENTORY_PASSWORD_FILE, never from an option.
        Without one, requests carry no credentials.

        Exit codes: 0 done, 1 failed, 2 network or timeout, 3 not found, 4 sign-in or not allowed, 5 conflict or not
        enough stock, 6 rate limited, 7 partly done (also: done, but the result could not be written), 64 usage,
        65 bad input data, 130 interrupted.

        Examples:
          record-inventory import inventory.csv --currency EUR
          record-inventory list --search blue --where max_price=20
          record-inventory sell LP-0042
        """

    private static func lines(_ options: [Option]) -> String {
        aligned(options.map { ([$0.name, $0.value].compactMap(\.self).joined(separator: " "), $0.help) })
    }

    private static func aligned(_ rows: [(String, String)]) -> String {
        let width = rows.map(\.0.count).max() ?? 0
        return rows.map { term, text in
            text.isEmpty ? "  \(term)" : "  \(term)\(String(repeating: " ", count: width - term.count))  \(text)"
        }.joined(separator: "\n")
    }
}

extension CommandName {
    /// The names of all fields, on two lines.
    private static let fields: String = {
        let names = RecordField.allCases.map(\.rawValue)
        return "  \(names[..<10].joined(separator: " "))\n  \(names[10...].joined(separator: " "))"
    }()

    fileprivate var requiredOptions: String? {
        self == .add ? "--artist TEXT --title TEXT --price AMOUNT --currency CODE" : nil
    }

    fileprivate var summary: String {
        switch self {
        case .import: "add the records of a CSV file"
        case .export: "write all records to a CSV file"
        case .add: "add one record"
        case .edit: "change fields of a record"
        case .delete: "remove a record"
        case .show: "show a record"
        case .list: "find records"
        case .sell: "take copies out of the stock"
        case .restock: "put copies into the stock"
        }
    }

    fileprivate var explanation: String {
        switch self {
        case .import:
            """
            Adds the records of a Discogs inventory export or of our own CSV. FILE may be - for standard input. Imports
            the good rows and reports the bad ones by number; the header is row 1. If there are bad rows, the exit code
            is 7.

            A SKU in stock stays as it is, and its row counts as unchanged, unless --on-duplicate says otherwise. An
            update changes only the fields with a column, and no quantity or status whose cell is empty. If the quantity
            changes and no status is given, the status follows as with sell and restock. A row with the status sold has
            no copies, whatever its quantity. A record without copies does not become for_sale unless the row gives a
            quantity.

            Columns of our own CSV, in any order. sku, artist, title and price are required, and currency unless
            --currency is given:
            \(Self.fields)
            """
        case .export:
            """
            Writes all records as CSV, which import reads. FILE may be - for standard output. Reports records of other
            programs that import would refuse; then the exit code is 7.
            """
        case .add: "Adds one record and prints its SKU. If the SKU exists, the exit code is 5."
        case .edit:
            """
            Changes the given fields and leaves the others as they are. If the quantity changes and no status is given,
            the status follows as with sell and restock. A record that becomes sold has no copies left.
            """
        case .delete:
            """
            Removes a record. Asks first on a terminal, and requires --yes elsewhere. If the record is changed while it
            asks, it stays, and the exit code is 5.
            """
        case .show: "Shows all fields of a record."
        case .list:
            """
            Shows all records, or those that match: a table on a terminal, tab-separated fields elsewhere.

            Fields:
            \(Self.fields)

            Of the grades, M is the highest and P the lowest.
            """
        case .sell:
            """
            Takes copies out of the stock. If there are not enough, sells none, and the exit code is 5. A record that is
            for_sale becomes sold with its last copy.

            Accepts a barcode too. Of several records with the barcode, sells the one in stock. If several are in stock,
            lists them and sells none; then the exit code is 5.
            """
        case .restock:
            "Puts copies into the stock. Accepts a barcode too. A record that is sold becomes for_sale again."
        }
    }

    fileprivate var examples: [String] {
        switch self {
        case .import:
            [
                "import inventory.csv --currency EUR --dry-run", "import stock.csv --on-duplicate update --json",
                "import -",
            ]
        case .export: ["export stock.csv", "export - | gzip > stock.csv.gz"]
        case .add:
            ["add --artist 'Miles Davis' --title 'Kind of Blue' --price 18.50 --currency EUR --media-condition VG+"]
        case .edit: ["edit LP-0042 --price 16 --location A-12", "edit LP-0042 --clear notes"]
        case .delete: ["delete LP-0042", "delete LP-0042 --yes"]
        case .show: ["show LP-0042", "show LP-0042 --json"]
        case .list:
            [
                "list --search blue --sort -price --limit 10",
                "list --where media_condition=NM --where min_quantity=1 --json",
            ]
        case .sell: ["sell LP-0042", "sell 4006381333931 -n 2"]
        case .restock: ["restock LP-0042 -n 5"]
        }
    }
}
