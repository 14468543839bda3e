/// Guesses which column of a file has which field, by its heading. Each column is taken once.
struct HeadingGuesses {
    private var headings: [String]
    /// The headings of what a copy costs the shop.
    private let costs: [String]

    init(_ headings: [String]) {
        self.headings = headings
        // At an auction, a customer may buy it now.
        costs = headings.filter {
            Self.isAmount($0) && !Self.sellingPrices.joined().contains(Self.price(in: $0))
                && Self.has($0, Self.buying, Self.buyingWords) && !Self.words(of: $0).contains("now")
        }
    }

    /// Returns the headings of a field's columns: of a barcode all, of another field one. Empty without a good guess.
    mutating func take(_ field: RecordField) -> [String] {
        let taken = guess(field)
        headings.removeAll { taken.contains($0) || taken.count == 1 && Self.matches(taken[0], $0) }
        return taken
    }

    /// Returns the headings that may be the price a copy is sold at: those that speak of an amount, and those of
    /// columns that have amounts.
    func amounts(_ columns: [String]) -> [String] {
        headings.filter { Self.isAmount($0) || columns.contains($0) }
    }

    /// Returns those of some headings that no field has.
    func left(of columns: [String]) -> [String] { headings.filter(columns.contains) }

    /// Returns whether a heading is the one of a map, which may have a `*`.
    static func matches(_ pattern: String, _ heading: String) -> Bool {
        let parts = pattern.split(separator: "*", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return pattern == heading }
        return heading.count >= pattern.count - 1 && heading.hasPrefix(parts[0]) && heading.hasSuffix(parts[1])
    }

    private func guess(_ field: RecordField) -> [String] {
        switch field {
        case .price: return sellingPrice().map { [$0] } ?? []
        case .cost where costs.count == 1: return costs
        case .barcode:
            let names = Self.names[field] ?? []
            let own = headings.filter { heading in names.contains(where: Self.words(of: heading).contains) }
            if !own.isEmpty { return own }
        default: break
        }
        // What speaks of an amount is no other field.
        let headings = headings.filter { !Self.isAmount($0) }
        if let own = headings.first(where: { (try? RecordField(named: $0)) == field }) { return [own] }
        if field == .sku, let named = headings.first(where: { Self.words(of: $0).contains("sku") }) { return [named] }
        let names = Self.names[field] ?? []
        for name in names {
            if let equal = headings.first(where: { Self.words(of: $0).joined(separator: " ") == name }) {
                return [equal]
            }
        }
        if field == .quantity { return quantities(headings) }
        // Other fields have names that are too usual.
        guard field == .barcode || RecordField.essential.contains(field) else { return [] }
        let part = headings.first { heading in names.contains(where: Self.words(of: heading).contains) }
        return [part ?? Spelling.nearest(to: field.rawValue, in: headings)].compactMap(\.self)
    }

    /// Returns the heading that is known to be the price a copy is sold at. Of several, only a person knows which is.
    private func sellingPrice() -> String? {
        if let own = headings.first(where: { (try? RecordField(named: $0)) == .price }) { return own }
        for known in Self.sellingPrices {
            let found = headings.filter { known.contains(Self.price(in: $0)) }
            if !found.isEmpty { return found.count == 1 ? found[0] : nil }
        }
        return nil
    }

    /// Returns the heading that is known to say how many copies there are: `Stock on hand`, or those of several places
    /// as one with a `*`.
    private func quantities(_ headings: [String]) -> [String] {
        if let own = headings.first(where: Self.isQuantity) { return [own] }
        for pattern in ["inventory_*", "* - Quantity on Hand", "*Qty on Hand", "Current Quantity *"] {
            let places = headings.filter { Self.matches(pattern.lowercased(), $0.lowercased()) }
            if !places.isEmpty { return places.count == 1 ? places : [pattern] }
        }
        return []
    }

    private static func words(of heading: String) -> [String] {
        heading.lowercased().split { !$0.isLetter && $0 != "#" }.map(String.init)
    }

    /// Returns what a heading says without the currency and the tax.
    private static func price(in heading: String) -> String {
        let others = ["incl", "inc", "inkl", "con", "vat", "tax", "ttc", "mwst", "iva", "btw", "brutto", "gross", "in"]
        return words(of: heading).filter { !others.contains($0) && (try? Currency($0)) == nil }.joined(separator: " ")
    }

    private static func has(_ heading: String, _ stems: [String], _ words: Set<String>) -> Bool {
        let own = Self.words(of: heading)
        return own.contains { word in words.contains(word) || stems.contains(where: word.contains) }
    }

    private static func isAmount(_ heading: String) -> Bool {
        (has(heading, amounts, amountWords) || sellingPrices.joined().contains(price(in: heading)))
            && !has(heading, otherAmounts, otherWords)
    }

    /// Whether a heading says nothing but how many copies there are.
    private static func isQuantity(_ heading: String) -> Bool {
        let own = Set(words(of: heading))
        return own.isSubset(of: quantityWords.union(["available", "on", "hand", "in", "current", "total", "level"]))
            && !own.isDisjoint(with: quantityWords)
    }

    /// Returns the words of a list with commas between them.
    private static func list(_ text: String) -> [String] { text.split { $0 == "," || $0.isNewline }.map(\.trimmed) }

    /// The headings of the price that a customer pays, and after them those that a shop is advised to take.
    private static let sellingPrices: [Set<String>] = [
        """
        price, retail price, retail, selling price, sell price, selling, sales price, regular price, variant price,
        item price, our price, shop price, preis, verkaufspreis, vk, vk preis, vkpreis, verkauf, ladenpreis, endpreis,
        regulärer preis, prix, prix de vente, prix vente, prix public, pv, vente, tarif régulier, precio, pvp,
        precio de venta, precio venta, precio normal, precio de venta al público, venta, preço, preco, preço de venda,
        venda, prezzo, prezzo di vendita, vendita, prijs, verkoopprijs, verkoop, pris, försäljningspris, utpris,
        salgspris, utsalgspris, cena, cena sprzedaży, cena detaliczna, detal, prodejní cena
        """, "rrp, srp, msrp, uvp",
    ].map { Set(list($0)) }
    // Parts of words, since German and Swedish join them: Einkaufspreis.
    private static let amounts = list(
        "price, preis, prix, prezzo, precio, preço, preco, prijs, cost, wholesale, dealer, einkauf, einstand")
    private static let amountWords = Set(list("pris, inköpspris, cena, ek, net, ppd, tarif"))
    private static let buying = list(
        """
        cost, wholesale, dealer, suppl, purchas, einkauf, ankauf, einstand, achat, acquist, compra, inköp, inkoop,
        aankoop, nakup, zakup, hurt, revient, fornitor, proveedor, vendor, custo
        """)
    private static let buyingWords = Set(
        list("ek, net, nett, netto, nettopreis, ppd, buy, buying, paid, landed, trade"))
    /// What other amounts are: of the post, struck through, or about a price.
    private static let otherAmounts = list("compare, ship, versand, postage, currency, währung, weight")
    private static let otherWords = Set(
        list("old, was, type, group, date, datum, día, jour, code, tax, vat, id, measure"))
    private static let quantityWords = Set(list("quantity, qty, stock, inventory"))

    /// The names of the fields in other systems, the best first.
    private static let names: [RecordField: [String]] = [
        .sku: """
        external id, item number, article number, product code, artikelnummer, ugs, system id, item code, item no,
        article no, artikel nr, artikelnr, référence, código, kod, kód
        """,
        .artist: "artist, vendor, band, performer, interpret, artiste, artista, artiest, wykonawca, brand",
        .title: """
        title, name, item name, product name, album, product, titel, titre, titolo, título, tytuł, název, álbum, nom,
        nombre, item, description
        """,
        .currency: "currency code", .barcode: "barcode, ean, upc, gtin",
        .quantity: """
        available, on hand, anzahl, bestand, lagerbestand, menge, quantité, cantidad, inventario, existencias, aantal,
        voorraad, antal, antal i lager, quantidade, quantidade em estoque, estoque, quantità, giacenza, ilość, qté,
        unidades, copies, qoh
        """,
        .catalogueNumber: "catno, catalog#, catalog number, cat no", .format: "package, formats",
        .year: "released, release year", .notes: "comments, comment", .location: "shelf, bin",
        .discogsRelease: "release id", .label: "record label",
    ].mapValues(list)
}
