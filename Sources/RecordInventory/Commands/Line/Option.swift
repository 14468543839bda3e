/// An option of the command line, with its help.
struct Option: Equatable, Sendable {
    /// The name with its dashes: `--limit`, `-n`.
    let name: String
    /// What its value stands for. `nil` for a flag.
    let value: ValueKind?
    /// Whether the option may be given several times.
    let repeats: Bool
    let help: String

    init(_ name: String, _ value: ValueKind? = nil, repeats: Bool = false, help: String) {
        self.name = name
        self.value = value
        self.repeats = repeats
        self.help = help
    }

    /// The message for a missing value.
    var complaint: String { "\(name) requires a value: \(value?.placeholder ?? "")" }
}

/// What a value on the command line stands for.
struct ValueKind: Equatable, Sendable {
    /// What a shell completes a value with.
    enum Completion: Sendable {
        case none, file
        /// One of the words; some of them, with commas between them; the same, perhaps with a `-` before each.
        case words, list, order
        /// Values in the stock.
        case sku, shelf, payment
    }

    /// The word for it in the help.
    let placeholder: String
    var completion = Completion.none
    /// The words to choose from.
    var words: [String] = []

    static let sku = ValueKind(placeholder: "SKU", completion: .sku)
    static let shelf = ValueKind(placeholder: "PLACE", completion: .shelf)
    static let field = choice("FIELD", Record.fieldNames)
    static let order = ValueKind(placeholder: "FIELD,…", completion: .order, words: Record.fieldNames)
    static let condition = choice("FIELD=VALUE", RecordField.allCases.map { "\($0.rawValue)=" })
    static let file = ValueKind(placeholder: "FILE", completion: .file)
    static let amount = ValueKind(placeholder: "AMOUNT")
    static let currency = ValueKind(placeholder: "CODE")
    static let grade = choice("GRADE", SleeveCondition.allCases.map(\.rawValue))
    static let status = choice("STATUS", Status.allCases.map(\.rawValue))
    static let number = ValueKind(placeholder: "N")
    static let days = ValueKind(placeholder: "DAYS")
    static let seconds = ValueKind(placeholder: "SECONDS")
    static let date = ValueKind(placeholder: "DATE")
    static let day = choice("DATE", ["today", "yesterday"])
    static let id = ValueKind(placeholder: "ID")
    static let payment = ValueKind(placeholder: "KIND", completion: .payment)
    static let name = ValueKind(placeholder: "NAME")
    static let text = ValueKind(placeholder: "TEXT")
    static let url = ValueKind(placeholder: "URL")

    /// Some of several words, with commas between them.
    static func list(_ words: [String]) -> ValueKind {
        ValueKind(placeholder: "FIELD,…", completion: .list, words: words)
    }

    /// One of several words.
    static func choice(_ placeholder: String, _ words: [String]) -> ValueKind {
        ValueKind(placeholder: placeholder, completion: .words, words: words)
    }
}

extension Option {
    /// The options that every command takes. They may stand before or after it.
    static let global = [
        Option("--store", .file, help: "keep the stock in this file (RECORD_INVENTORY_STORE)"),
        Option("--server", .url, help: "use this Kinto server instead (RECORD_INVENTORY_SERVER)"),
        Option("--bucket", .name, help: "the name of the shop, on the server or in the file (default: shop)"),
        Option("--till", .name, help: "the till in the ledger (RECORD_INVENTORY_TILL, or the machine's name)"),
        Option("--person", .name, help: "the person in the ledger (RECORD_INVENTORY_PERSON)"),
        Option("--password-stdin", help: "read the password from the first line of standard input"),
        Option(
            "--output", .choice("FORMAT", OutputStyle.Format.allCases.map(\.rawValue)),
            help: "table, json, ndjson, csv or tsv (default: a table on a terminal, tsv elsewhere)"),
        Option("--json", help: "the same as --output json"),
        Option("--quiet", help: "print only results and errors"),
        Option("-q", help: "the same"),
        Option("--verbose", help: "print details, such as each request"),
        Option("-v", help: "the same"),
        Option("--timeout", .seconds, help: "wait as long for a server, or for another process (default: 30)"),
        Option("--no-input", help: "ask nothing, also on a terminal"),
        Option("--no-color", help: "no colors on the terminal (NO_COLOR; CLICOLOR_FORCE for colors on pipes)"),
        Option("--no-pager", help: "show a table longer than the screen without a pager (PAGER, or less)"),
        Option("--help", help: "show the help of the tool, or of the command"),
        Option("-h", help: "the same"),
        Option("--version", help: "show the version"),
    ]

    // The options that several commands have.
    static let dryRun = Option("--dry-run", help: "report what would be done, and write nothing")
    static let copies = Option("-n", .number, help: "the number of copies (default: 1)")
    static let payment = Option("--payment", .payment, help: "the kind of payment: cash, card …")
    static let reason = Option("--reason", .text, help: "a note for the history")
    static let id = Option("--id", .id, help: "the id of this command, which is made once for each id")
    static let force = Option("--force", help: "also sell drafts, which are not for sale yet")
    static let days = [
        Option("--day", .day, help: "only this day: 2026-11-23, today or yesterday"),
        Option("--from", .day, help: "the first day"), Option("--to", .day, help: "the last day"),
    ]

    static let matching = Option(
        "--where", .condition, repeats: true, help: "only matching records; also min_FIELD and max_FIELD")
    static let searched = Option(
        "--search", .text,
        help: "only records with these words in artist, title, label, catalogue_number or barcode")

    static let replace = Option("--replace", help: "replace the file if it exists")
    static let spreadsheet = Option(
        "--spreadsheet", help: "CSV that protects texts that a spreadsheet would change or run, such as 00042")
    static let recordFields = fields(of: Record.fieldNames)

    /// Returns the option for the fields to print, of these.
    static func fields(of names: [String]) -> Option {
        Option("--fields", .list(names), help: "print only these fields, in this order")
    }

    /// Returns an option for each field of a record, except those in `left`.
    static func fields(except left: Set<RecordField> = []) -> [Option] {
        RecordField.allCases.filter { !left.contains($0) }.map { Option($0.optionName, $0.valueKind, help: $0.hint) }
    }
}

extension RecordField {
    var optionName: String { "--" + rawValue.replacing("_", with: "-") }

    fileprivate var valueKind: ValueKind {
        switch self {
        case .mediaCondition, .sleeveCondition: .grade
        case .currency: .currency
        case .status: .status
        default:
            switch kind {
            case .integer: .number
            case .price: .amount
            case .text, .code: .text
            }
        }
    }

    fileprivate var hint: String {
        switch self {
        case .sku: "at most 64 characters (default: a random one)"
        case .barcode: "EAN-13, UPC-A or EAN-8, as scanned"
        case .mediaCondition: "M, NM, VG+, VG, G+, G, F or P"
        case .sleeveCondition: "the same, or generic, not_graded, none"
        case .price: "a decimal amount: 18.50"
        case .cost: "what one copy cost, in the currency of the price"
        case .consignor: "the owner, if it is sold on commission"
        case .currency: "ISO 4217: EUR, GBP, USD, JPY …"
        case .status: "draft, for_sale or sold"
        case .location: "the place in the shop"
        case .discogsListing, .discogsRelease: "the number at Discogs"
        default: ""
        }
    }
}
