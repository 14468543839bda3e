/// Sells copies of records.
struct SellCommand: CopyCommand {
    static let kind = Movement.Kind.sale

    let move: CopyMove

    static let usage = CommandUsage(
        name: "sell", synonyms: ["sale", "sold"],
        operands: CommandUsage.Operands("SKU…", .sku, count: 1...Int.max),
        summary: "sell copies",
        explanation: """
            Sells copies of one or more records, all or none: if there are not enough, the exit code is 5. A SKU that is
            typed twice sells two copies. A record that is for_sale becomes sold with its last copy. A draft is not sold
            without --force; then the exit code is 5.

            A payment in parts names each kind with its amount, and the last kind alone: it gets the rest.

            A discount is taken off the whole sale, rounded once, and divided among the records in proportion.

            With --id, the same command does nothing the second time, whatever happened to the first: run it again if
            you do not know.

            Accepts a barcode too. Of several records with the barcode, sells the one in stock. If several are in stock,
            lists them and sells none; then the exit code is 5.
            """,
        options: [
            .copies, Option("--price", .amount, help: "the price of one copy, in place of the record's"),
            Option("--discount", .amount, help: "off the total: 10% or 5.00"),
            Option("--payment", .payment, repeats: true, help: "the kind of payment: cash, card …; a part is cash:20"),
            Option("--for", .name, help: "sell the copies that are reserved for NAME"), .force, .reason, .id, .dryRun,
            .recordFields,
        ],
        examples: [
            "sell LP-0042", "sell 4006381333931 -n 2", "sell LP-0042 LP-0043 --discount 10% --payment card",
            "sell LP-0042 --payment cash:10 --payment card",
        ])
}
