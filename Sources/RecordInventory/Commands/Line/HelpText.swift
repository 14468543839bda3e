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
        case .sell: "sell copies"
        case .till: "sell from a scanner, line by line"
        case .undo: "take back the last sale, or another command"
        case .return: "take a sold copy back"
        case .restock: "put copies into the stock"
        case .tradeIn: "buy copies from a customer"
        case .writeOff: "take out copies that are lost or broken"
        case .reserve: "put copies aside for a customer, or list them"
        case .release: "make reserved copies available again"
        case .count: "count a record, or a shelf"
        case .history: "show the movements of the stock"
        case .report: "show a day's takings"
        case .doctor: "check the stock against its movements"
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
            update changes only the fields with a column, and no status whose cell is empty. It leaves quantities as they
            are: copies may have been sold since the file was written. With --set-quantity it sets them too, as
            corrections in the history; then the status follows as with sell and restock unless one is given. A row with
            the status sold has no copies, whatever its quantity.

            A spreadsheet turns the SKU 00042 into 42, and MAR-01 into 01-Mar. So a SKU that is not in stock, but is
            numerically equal to one that is, or is the date of one, counts as a bad row. An update keeps the catalogue
            number 0012 although the file has 12. --trust-numbers takes the file's. With --dry-run --details, lists each
            row and each field that would change, with --json as one object a line.

            Columns of our own CSV, in any order. sku, artist, title and price are required, and currency unless
            --currency is given:
            \(Self.fields)
            """
        case .export:
            """
            Writes all records as CSV, which import reads. FILE may be - for standard output. Reports records of other
            programs that import would refuse; then the exit code is 7.

            With --spreadsheet, writes texts that a spreadsheet would change or run as formulas such as ="00042", which
            import reads back, whether the spreadsheet saves them or their values.
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
        case .show: "Shows all fields of a record, or all records with a barcode."
        case .list:
            """
            Shows all records, or those that match: a table on a terminal, tab-separated fields elsewhere.

            Fields:
            \(Self.fields)

            Of the grades, M is the highest and P the lowest.

            --search finds words in any order, each by its beginning, without regard to case, accents and width: bjork
            finds Björk, tplp51 the catalogue number TPLP 51. Prices are sorted and filtered within one currency: if there
            are several, name one with --where currency=EUR. A narrow terminal leaves out location, format, media and
            copies, in this order.
            """
        case .sell:
            """
            Sells copies of one or more records, all or none: if there are not enough, the exit code is 5. A SKU that is
            typed twice sells two copies. A record that is for_sale becomes sold with its last copy. A draft is not sold
            without --force; then the exit code is 5.

            With --id, the same command does nothing the second time, whatever happened to the first: run it again if you
            do not know.

            Accepts a barcode too. Of several records with the barcode, sells the one in stock. If several are in stock,
            lists them and sells none; then the exit code is 5.
            """
        case .till:
            """
            Reads barcodes and SKUs line by line, from a scanner, a keyboard or a pipe. Shows each record, its price, what
            is left and the total; `pay` sells the basket as one sale and prints a receipt. Type help for all words. If
            the input ends without pay, nothing of the basket is sold, and the exit code is 1.
            """
        case .undo:
            """
            Takes back a command or a movement by its id, or the last command of this till within two days. New records that
            were added or imported since then stay. If that command cannot be taken back, as an edit, names it and does
            nothing; then the exit code is 5. Each is taken back once. The history keeps both.
            """
        case .return:
            """
            Takes sold copies back. With --sale, the price and the discount are those of the sale, and no more comes back
            than was sold. Accepts a barcode too.
            """
        case .restock:
            "Puts copies into the stock. Accepts a barcode too. A record that is sold becomes for_sale again."
        case .tradeIn: "Buys copies from a customer. Accepts a barcode too. The report shows what was paid."
        case .writeOff: "Takes out copies that are lost, stolen or broken. Accepts a barcode too."
        case .reserve:
            """
            Puts copies aside. They stay in stock, but are sold only with `sell --for NAME`, until the last day has passed
            or they are released. Accepts a barcode too. Without a SKU, lists what is put aside, and for whom.
            """
        case .release: "Makes copies that were put aside available again. Accepts a barcode too."
        case .count:
            """
            Sets the quantity of a record to N. With --location, reads the barcode or SKU of each copy on a shelf, line by
            line until the end, or until an empty line at a terminal. Shows the differences, and asks before it changes
            anything; --commit requires at least one copy. Leaves a record that was sold meanwhile, and names it.
            """
        case .history:
            """
            Shows the movements of a record, of some days, or all: the earliest first. Also those of deleted records. Accepts
            a barcode too. A narrow terminal leaves out reason, till, payment, id, time and paid, in this order.
            """
        case .report:
            """
            Shows the takings of today, of a day or of several: copies and amounts for each currency, by kind of payment,
            genre or format. Returns are subtracted. The margin covers the copies whose cost is known.
            """
        case .doctor:
            """
            Checks that the quantity of each record is the sum of its movements, and corrects the movements if it is not:
            another program, or an older version of this one, changed the record without them. Leaves a
            record alone if one of its movements cannot be read.
            """
        }
    }

    fileprivate var examples: [String] {
        switch self {
        case .import:
            [
                "import inventory.csv --currency EUR --dry-run", "import stock.csv --on-duplicate update --json",
                "import -",
            ]
        case .export: ["export stock.csv", "export - | gzip > stock.csv.gz", "export -o stock.csv --spreadsheet"]
        case .add:
            ["add --artist 'Miles Davis' --title 'Kind of Blue' --price 18.50 --currency EUR --media-condition VG+"]
        case .edit: ["edit LP-0042 --price 16 --location A-12", "edit LP-0042 --clear notes"]
        case .delete: ["delete LP-0042", "delete LP-0042 --yes"]
        case .show: ["show LP-0042", "show LP-0042 --json"]
        case .list:
            [
                "list --search 'kind miles'", "list --search blue --where currency=EUR --sort -price --limit 10",
                "list --where media_condition=NM --where min_quantity=1 --json",
            ]
        case .sell: ["sell LP-0042", "sell 4006381333931 -n 2", "sell LP-0042 LP-0043 --discount 10% --payment card"]
        case .till: ["till", "till --payment cash"]
        case .undo: ["undo", "undo 261123-K7M29QXWR4TZ2ABC"]
        case .return: ["return LP-0042 --payment cash", "return LP-0042 --sale 261123-K7M29QXWR4TZ2ABC"]
        case .restock: ["restock LP-0042 -n 5"]
        case .tradeIn: ["trade-in LP-0042 --price 6 --payment cash"]
        case .writeOff: ["write-off LP-0042 --reason 'broken in transit'"]
        case .reserve: ["reserve LP-0042 --for 'Ada L.' --until 2026-12-24", "reserve"]
        case .release: ["release LP-0042 --for 'Ada L.'"]
        case .count: ["count LP-0042 3", "count --location A-12"]
        case .history: ["history LP-0042", "history --day 2026-11-23 --json"]
        case .report: ["report", "report --from 2026-11-01 --to 2026-11-30 --by genre --low-stock 1"]
        case .doctor: ["doctor", "doctor --dry-run"]
        }
    }
}
