/// Guesses which column of a file has which field, by its heading. Each column is taken once.
struct HeadingGuesses {
    private var headings: [String]
    /// The headings that may be the price of a copy. If there are several, only a person knows which is.
    let prices: [String]
    /// The headings that may be what a copy costs the shop.
    private let costs: [String]

    init(_ headings: [String]) {
        self.headings = headings
        let amounts = headings.filter { Self.has($0, Self.amounts, Self.amountWords) }
            .filter { !Self.has($0, Self.otherAmounts, Self.otherWords) }
        // At an auction, a customer may buy it now.
        let costs = amounts.filter {
            Self.has($0, Self.buying, Self.buyingWords) && !Self.words(of: $0).contains("now")
        }
        prices = amounts.filter { !costs.contains($0) }
        self.costs = costs
    }

    /// Returns the heading of a field's column, or `nil` if there is no good guess.
    mutating func take(_ field: RecordField) -> String? {
        guard let heading = guess(field) else { return nil }
        headings.removeAll { $0 == heading }
        return heading
    }

    private func guess(_ field: RecordField) -> String? {
        if field == .price, !prices.isEmpty { return prices.count == 1 ? prices[0] : nil }
        if field == .cost, costs.count == 1 { return costs[0] }
        // What speaks of an amount is no other field.
        let headings = headings.filter { !prices.contains($0) && !costs.contains($0) }
        if let own = headings.first(where: { (try? RecordField(named: $0)) == field }) { return own }
        if field == .sku, let named = headings.first(where: { Self.words(of: $0).contains("sku") }) { return named }
        let names = Self.names[field] ?? []
        if let equal = headings.first(where: { names.contains(Self.words(of: $0).joined(separator: " ")) }) {
            return equal
        }
        if field == .quantity { return headings.first(where: Self.isQuantity) }
        // Other fields have names that are too usual.
        guard field == .barcode || RecordField.essential.contains(field) else { return nil }
        let parts = headings.first { heading in names.contains(where: Self.words(of: heading).contains) }
        return parts ?? Spelling.nearest(to: field.rawValue, in: headings)
    }

    private static func words(of heading: String) -> [String] {
        heading.lowercased().split { !$0.isLetter && $0 != "#" }.map(String.init)
    }

    private static func has(_ heading: String, _ stems: [String], _ words: Set<String>) -> Bool {
        let own = Self.words(of: heading)
        return own.contains { word in words.contains(word) || stems.contains(where: word.contains) }
    }

    /// Whether a heading says nothing but how many copies there are: `Stock on hand`.
    private static func isQuantity(_ heading: String) -> Bool {
        let own = Set(words(of: heading))
        return own.isSubset(of: quantityWords.union(["available", "on", "hand", "in", "current", "total", "level"]))
            && !own.isDisjoint(with: quantityWords)
    }

    // Parts of words, since German and Swedish join them: Einkaufspreis.
    private static let amounts = [
        "price", "preis", "prix", "prezzo", "precio", "preço", "preco", "prijs", "cost", "wholesale", "dealer",
        "einkauf",
        "einstand",
    ]
    private static let amountWords: Set<String> = [
        "vk", "uvp", "rrp", "srp", "msrp", "retail", "pris", "försäljningspris", "inköpspris", "cena", "ek", "net",
        "ppd",
    ]
    private static let buying = [
        "cost", "wholesale", "dealer", "suppl", "purchas", "einkauf", "ankauf", "einstand", "achat", "acquist",
        "compra",
        "inköp", "inkoop", "nakup", "zakup",
    ]
    private static let buyingWords: Set<String> = [
        "ek", "net", "nett", "netto", "nettopreis", "ppd", "buy", "buying", "paid", "landed", "trade",
    ]
    /// What other amounts are: of the post, struck through, or about a price.
    private static let otherAmounts = ["compare", "ship", "versand", "postage", "currency", "währung", "weight"]
    private static let otherWords: Set<String> = ["old", "was", "type", "group", "date", "code", "tax", "vat", "id"]
    private static let quantityWords: Set<String> = ["quantity", "qty", "stock", "inventory"]

    /// The names of the fields in other systems.
    private static let names: [RecordField: [String]] = [
        .sku: ["external id", "item number", "article number", "product code"],
        .artist: ["artist", "vendor", "band", "performer", "interpret", "brand"],
        .title: ["title", "name", "item name", "product name", "album", "product", "titel"],
        .currency: ["currency code"], .barcode: ["barcode", "ean", "upc", "gtin"],
        .quantity: ["available", "on hand", "anzahl", "bestand", "lagerbestand", "menge", "quantité", "cantidad"],
        .catalogueNumber: ["catno", "catalog#", "catalog number", "cat no"], .format: ["package", "formats"],
        .year: ["released", "release year"], .notes: ["comments", "comment"], .location: ["shelf", "bin"],
        .discogsRelease: ["release id"], .label: ["record label"],
    ]
}
