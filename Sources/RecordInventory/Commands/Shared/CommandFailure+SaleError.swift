// The rules of a sale, in words.
extension CommandFailure {
    init(_ error: SaleError) {
        self.init(error.exitCode, error.message)
    }
}

extension SaleError {
    fileprivate var exitCode: ExitCode {
        switch self {
        case .draft, .reserved, .nothingReserved, .notEnough, .otherCurrency, .alreadyBack, .notSold: .conflict
        case .noSale, .notInSale: .notFound
        default: .usage
        }
    }

    fileprivate var message: String {
        switch self {
        case .draft(let record):
            "\(record.name), is a draft, so nothing was sold; offer it with `edit \(record.sku.text) --status "
                + "for_sale`, or sell it with --force"
        case .reserved(let record, let count, let customers):
            "nothing was written off: of \(record.quantity.counted("copy", "copies")) of \(record.sku.text), \(count) "
                + "\(count == 1 ? "is" : "are") reserved for \(customers); `release` them, or give --force"
        case .nothingReserved(let sku, let customer):
            "no copy of \(sku.text) is reserved for \(customer); nothing was changed"
        case .notEnough(let record, let count, let customers, let wanted):
            "there are not enough copies of \(record.sku.text): \(record.quantity) in stock, of which \(count) "
                + "\(count == 1 ? "is" : "are") reserved for \(customers), \(wanted) wanted; sell a reserved copy with "
                + "--for NAME, or `release` it"
        case .otherCurrency(let sku, let old, let new):
            "\(sku.text) was changed from \(old.code) to \(new.code) meanwhile; nothing was changed, begin again"
        case .noSale(let id): "there is no sale \(id); `history` lists the sales with their ids"
        case .notInSale(let sku, let id): "the sale \(id) has no copy of \(sku.text)"
        case .alreadyBack(let id, let name, let sold, let back):
            "the sale \(id.printable) had \(sold) of \(name.printable), of which \(back) came back already; nothing "
                + "was changed"
        case .notSold(let sku, let found, let wanted):
            "only \(found) of \(sku.text) were sold and did not come back, \(wanted) wanted; nothing was changed. To "
                + "take back what was not sold here, give --force, --price and --reason"
        case .discount(let error): (error == .tooLarge ? "" : "the discount: ") + error.reason
        case .option(let name, let text, let sku, let error):
            "\(name) \"\(text.shown)\" of \(sku.text): \(error.reason)"
        case .payment(let text, let error): "the payment \"\(text.shown)\": \(error.reason)"
        case .total(let error):
            "the basket cannot be sold so: \(error.reason)"
                + (error == .tooLarge ? "" : "; type a smaller discount, or `discount` alone for none")
        case .severalCurrencies:
            "the prices have several currencies, so they are not paid in parts; sell them one by one"
        case .noPart(let part, let left):
            "nothing was sold: \(part) is no part of a payment of which \(left.text) is left"
        case .noCoins(let amount, let below, let above):
            "\(amount.text) cannot be paid in cash: the nearest amounts in coins are \(below.decimalText) and "
                + "\(above.decimalText); nothing was sold"
        case .partWithoutKind(let due):
            "a part of the total of \((due.dueToCustomer ?? due).text) has a kind and an amount, such as cash 20; "
                + "nothing was sold"
        case .noChange(let kind, let due):
            "only cash gives change, and \(due.text) is left to pay: type `pay \(kind)`, or `pay cash` with what is "
                + "given; nothing was sold"
        case .restWithoutKind(let due): "the rest of \(due.text) needs a kind, such as card; nothing was sold"
        case .tooMuchBack(let due): "the customer gets \(due.text), and no more; nothing was sold"
        }
    }
}
