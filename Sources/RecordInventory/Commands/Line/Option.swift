/// An option of the command line, with its help.
struct Option: Equatable, Sendable {
    /// The name with its dashes: `--limit`, `-n`.
    let name: String
    /// The placeholder for the value in the help, such as `FILE`. `nil` for a flag.
    let value: String?
    /// Whether the option may be given several times.
    let repeats: Bool
    let help: String

    init(_ name: String, _ value: String? = nil, repeats: Bool = false, help: String) {
        self.name = name
        self.value = value
        self.repeats = repeats
        self.help = help
    }

    /// The message for a missing value.
    var complaint: String { "\(name) requires a value: \(value ?? "")" }

    /// The options that every command takes. They may stand before or after it.
    static let global = [
        Option("--store", "FILE", help: "keep the stock in this file (RECORD_INVENTORY_STORE)"),
        Option("--server", "URL", help: "use this Kinto server instead (RECORD_INVENTORY_SERVER)"),
        Option("--bucket", "NAME", help: "the name of the shop, on the server or in the file (default: shop)"),
        Option("--till", "NAME", help: "the till in the ledger (RECORD_INVENTORY_TILL, or the machine's name)"),
        Option("--person", "NAME", help: "the person in the ledger (RECORD_INVENTORY_PERSON)"),
        Option("--password-stdin", help: "read the password from the first line of standard input"),
        Option("--json", help: "write results as JSON"),
        Option("--quiet", help: "print only results and errors"),
        Option("-q", help: "the same"),
        Option("--verbose", help: "print details, such as each request"),
        Option("-v", help: "the same"),
        Option("--timeout", "SECONDS", help: "wait as long for a server, or for another process (default: 30)"),
        Option("--no-input", help: "ask nothing, also on a terminal"),
        Option("--no-color", help: "no colors on the terminal (NO_COLOR)"),
        Option("--help", help: "show the help of the tool, or of the command"),
        Option("-h", help: "the same"),
        Option("--version", help: "show the version"),
    ]

    fileprivate static let dryRun = Option("--dry-run", help: "report what would be done, and write nothing")

    /// Returns an option for each field of a record, except those in `left`.
    static func fields(except left: Set<RecordField> = []) -> [Option] {
        RecordField.allCases.filter { !left.contains($0) }.map { Option($0.optionName, $0.valueName, help: $0.hint) }
    }
}

extension RecordField {
    var optionName: String { "--" + rawValue.replacing("_", with: "-") }

    fileprivate var valueName: String {
        switch self {
        case .mediaCondition, .sleeveCondition: "GRADE"
        case .currency: "CODE"
        case .status: "STATUS"
        default:
            switch kind {
            case .integer: "N"
            case .price: "AMOUNT"
            case .text, .code: "TEXT"
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

extension CommandName {
    private static let copies = Option("-n", "N", help: "the number of copies (default: 1)")
    private static let payment = Option("--payment", "KIND", help: "the kind of payment: cash, card …")
    private static let reason = Option("--reason", "TEXT", help: "a note for the history")
    private static let id = Option("--id", "ID", help: "the id of this command, which is made once for each id")
    private static let force = Option("--force", help: "also sell drafts, which are not for sale yet")
    private static let days = [
        Option("--day", "DATE", help: "only this day: 2026-11-23"), Option("--from", "DATE", help: "the first day"),
        Option("--to", "DATE", help: "the last day"),
    ]

    /// Whether the command changes the stock or the ledger.
    private var writes: Bool {
        switch self {
        case .export, .show, .list, .history, .report: false
        case .import, .add, .edit, .delete, .sell, .till, .undo, .return, .restock, .tradeIn, .writeOff, .reserve,
            .release, .count, .doctor:
            true
        }
    }

    var options: [Option] { ownOptions + (writes ? [.dryRun] : []) }

    private var ownOptions: [Option] {
        switch self {
        case .import:
            [
                Option("--from", "FORMAT", help: "discogs or csv (default: guessed from the header)"),
                Option("--currency", "CODE", help: "for prices that name no currency, as in every Discogs export"),
                Option("--on-duplicate", "POLICY", help: "skip, update or fail, for a SKU in stock (default: skip)"),
                Option("--set-quantity", help: "let an update set quantities; otherwise they stay as they are"),
                Option(
                    "--trust-numbers",
                    help: "take numbers that a spreadsheet may have made of texts, such as 42 of 00042"),
                Option("--details", help: "with --dry-run: list each row, and each field that would change"),
            ]
        case .export:
            [
                Option("-o", "FILE", help: "the file, in place of the argument"),
                Option("--spreadsheet", help: "protect texts that a spreadsheet would change or run, such as 00042"),
            ]
        case .show: []
        case .add: Option.fields()
        case .edit:
            Option.fields(except: [.sku]) + [
                Option("--clear", "FIELD", repeats: true, help: "remove the value of the field")
            ]
        case .delete: [Option("--yes", help: "do not ask first")]
        case .list:
            [
                Option(
                    "--where", "FIELD=VALUE", repeats: true, help: "only matching records; also min_FIELD and max_FIELD"
                ),
                Option(
                    "--search", "TEXT",
                    help: "only records with these words in artist, title, label, catalogue_number or barcode"),
                Option("--sort", "FIELD,…", help: "sort by these fields, -FIELD for descending (default: sku)"),
                Option("--limit", "N", help: "at most N records"),
            ]
        case .sell:
            [
                Self.copies, Option("--price", "AMOUNT", help: "the price of one copy, in place of the record's"),
                Option("--discount", "AMOUNT", help: "off the total: 10% or 5.00"), Self.payment,
                Option("--for", "NAME", help: "sell the copies that are reserved for NAME"), Self.force, Self.reason,
                Self.id,
            ]
        case .till: [Self.payment, Self.force]
        case .undo: [Self.reason]
        case .return:
            [
                Self.copies, Option("--sale", "ID", help: "the sale, for its price and discount"),
                Option("--price", "AMOUNT", help: "what the customer gets back for one copy"), Self.payment,
                Self.reason, Self.id,
            ]
        case .restock, .writeOff: [Self.copies, Self.reason, Self.id]
        case .tradeIn:
            [
                Self.copies, Option("--price", "AMOUNT", help: "what the customer gets for one copy"), Self.payment,
                Self.reason, Self.id,
            ]
        case .reserve:
            [
                Self.copies, Option("--for", "NAME", help: "the customer"),
                Option("--until", "DATE", help: "the last day: 2026-12-24 (default: no end)"), Self.id,
            ]
        case .release: [Option("--for", "NAME", help: "only the copies of NAME (default: all)"), Self.id]
        case .count:
            [
                Option("--location", "PLACE", help: "count the copies of PLACE, scanned one by one"),
                Option("--commit", help: "take the counted quantities without asking"), Self.reason,
            ]
        case .history:
            [
                Option("--id", "ID", help: "only the command or the movement ID"),
                Option("--limit", "N", help: "the last N"),
            ]
                + Self.days
        case .report:
            Self.days + [
                Option("--by", "FIELD", help: "payment, genre or format (default: payment)"),
                Option("--low-stock", "N", help: "also records that were sold, with at most N copies left"),
                Option("--dead-stock", "DAYS", help: "also records in stock that were not sold for DAYS days"),
            ]
        case .doctor: []
        }
    }
}
