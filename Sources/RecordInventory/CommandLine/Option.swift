/// An option as it is typed and explained.
struct Option: Equatable, Sendable {
    /// With its dashes: `--limit`, `-n`.
    let name: String
    /// What stands for the value in the help: `FILE`. Nil for a flag, which takes none.
    let value: String?
    /// May be given several times.
    let repeats: Bool
    let help: String

    init(_ name: String, _ value: String? = nil, repeats: Bool = false, help: String) {
        self.name = name
        self.value = value
        self.repeats = repeats
        self.help = help
    }

    /// What is said where the value is missing.
    var complaint: String { "\(name) wants a value: \(value ?? "")" }

    /// Understood before and after every command.
    static let global = [
        Option("--store", "FILE", help: "keep the stock in this file (RECORD_INVENTORY_STORE)"),
        Option("--server", "URL", help: "use this Kinto server instead (RECORD_INVENTORY_SERVER)"),
        Option("--bucket", "NAME", help: "the shop's name, on the server or in the file (default: shop)"),
        Option("--password-stdin", help: "read the password from standard input"),
        Option("--json", help: "write results as JSON"),
        Option("--quiet", help: "say nothing but results and errors"),
        Option("--verbose", help: "say what is done"),
        Option("--no-color", help: "no colours on the terminal (NO_COLOR)"),
        Option("--help", help: "show this help, of the command if there is one"),
        Option("-h", help: "the same"),
        Option("--version", help: "show the version"),
    ]

    /// One option for each field of a record but those left out.
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
        case .sku: "at most 64 characters; one is made when none is given"
        case .barcode: "EAN-13, UPC-A or EAN-8, as scanned"
        case .mediaCondition: "M, NM, VG+, VG, G+, G, F or P"
        case .sleeveCondition: "the same, or generic, not_graded, none"
        case .price: "a decimal amount: 18.50"
        case .currency: "ISO 4217: EUR, GBP, USD, JPY …"
        case .status: "draft, for_sale or sold"
        case .location: "where in the shop it stands"
        case .discogsListing, .discogsRelease: "the number at Discogs"
        default: ""
        }
    }
}

extension CommandName {
    var options: [Option] {
        switch self {
        case .import:
            [
                Option("--from", "FORMAT", help: "discogs or csv; guessed from the header otherwise"),
                Option("--currency", "CODE", help: "for prices that name no currency, as in every Discogs export"),
                Option("--on-duplicate", "POLICY", help: "skip, update or fail, for a SKU in stock (default: skip)"),
                Option("--dry-run", help: "say what would be done, and do nothing"),
            ]
        case .export, .show: []
        case .add: Option.fields()
        case .edit:
            Option.fields(except: [.sku]) + [
                Option("--clear", "FIELD", repeats: true, help: "take the field's value away")
            ]
        case .delete: [Option("--yes", help: "do not ask")]
        case .list:
            [
                Option("--where", "FIELD=VALUE", repeats: true, help: "only these; also min_FIELD and max_FIELD"),
                Option("--search", "TEXT", help: "only with this text in artist, title, label or catalogue number"),
                Option("--sort", "FIELD,…", help: "in this order, -FIELD for descending (default: sku)"),
                Option("--limit", "N", help: "no more than so many"),
            ]
        case .sell, .restock: [Option("-n", "N", help: "how many (default: 1)")]
        }
    }
}
