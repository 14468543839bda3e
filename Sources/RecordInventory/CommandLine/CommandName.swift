/// A command by its name, with what may be typed after it.
enum CommandName: String, CaseIterable, Sendable {
    case `import`, export, add, edit, delete, show, list, sell, restock

    /// What it is applied to; nil where it stands alone.
    var operand: String? {
        switch self {
        case .import, .export: "FILE"
        case .edit, .delete, .show, .sell, .restock: "SKU"
        case .add, .list: nil
        }
    }

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
