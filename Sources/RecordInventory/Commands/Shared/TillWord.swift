/// The words at the till that are no codes.
enum TillWord: String, CaseIterable {
    case undo, total, pay, cash, card, discount, price, `return`, tradeIn = "trade-in"
    case `for`, find, found, item, sellVoucher = "sell-voucher", park, drawer, last, cancel, help, quit

    static let explanation = """
        A barcode or a SKU adds a copy. Words:
          3 x SKU            adds three copies; 1 x SKU also adds a SKU that is one of these words
          pay [KIND] [N]     sells the basket: pay transfer; pay cash 50 shows the change. If N is less than
                             the total, it is a part: the basket is sold when the rest is paid, and is not
                             changed until then
          cash [N], card     the same as pay cash [N] and pay card; so are the other kinds of payment. Only
                             cash may be more than the total. If the customer gets money, pay gives it back
                             as it was paid; cash 30 and then card, in parts
          undo               takes back the last part of the payment, or takes the last line out of the
                             basket; with an empty basket, takes back the last sale of this run
          price AMOUNT       sets the price of the last line; copies that are scanned later have the record's
          discount AMOUNT    takes an amount or a percentage off what is sold; without AMOUNT, none
          return SALE [SKU]  takes back all copies of a sale, or one
          trade-in SKU PRICE buys a copy from the customer
          for NAME           the next copies may be those that are reserved for NAME; without NAME, they may
                             not
          find WORDS         lists records with these words, for a copy without a barcode
          found SKU          sells a copy in the hand that isn't in the stock, also one that the basket has
                             already; found 2 x SKU, two of them. The history has a correction beside the sale
          item AMOUNT "NAME" [GENRE]
                             sells what has no record: item 1.00 "record bag" Accessories; without a genre,
                             the name needs no quotation marks. It comes back with return SALE NAME.
                             3 x item 1.00 pen, three of them
          sell-voucher AMOUNT
                             sells a voucher; later it pays with voucher [N]
          park [NAME]        puts the basket aside under a name or a number; with an empty basket, takes it
                             up, also at another till. It stays parked until it is paid, and other tills see
                             which one has it. Prices stay, and no copies are held
          drawer in AMOUNT REASON, drawer out AMOUNT REASON
                             notes cash that is put into the drawer, or taken out, without a sale
          total              shows the basket
          last               prints the last receipt of this run again
          cancel             empties the basket; what was paid in part goes back to the customer
          quit               ends
        """

    /// Returns what may be meant by a word that is none here. `nil` if it may be a SKU.
    static func meant(by word: String) -> String? {
        switch word.lowercased() {
        case "refund", "refunds", "back": "return SALE"
        case "buy", "tradein", "purchase": "trade-in SKU PRICE"
        case "sell", "sold", "checkout": "pay"
        case "remove", "delete", "void": "undo"
        case "exit", "close", "end": "quit"
        case "stats", "report", "sum", "subtotal": "total, or `report` outside the till, for the day"
        default: nil
        }
    }
}
