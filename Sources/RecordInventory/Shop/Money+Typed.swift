// Amounts that a person types, also into a file. A scanner may type a barcode there.
extension Money {
    /// Parses an amount that was typed, in a command or at the till. Stored amounts may be larger.
    init(typed text: String, in currency: Currency) throws(InvalidValue) {
        try Self.checkIsNoBarcode(text)
        try self.init(text, in: currency)
        try checkTyped()
    }

    /// Throws if an amount is larger than anything that a shop sells. Most barcodes are.
    func checkTyped() throws(InvalidValue) {
        var limit = currency.largestTyped
        for _ in 0..<currency.exponent { limit *= 10 }
        guard amount <= limit else {
            throw InvalidValue(
                "it looks like a barcode; an amount is at most \(currency.largestTyped) \(currency.code)")
        }
    }

    /// Throws unless a string that was typed is an amount of some currency. None has more than four decimals.
    static func checkAmount(_ text: String) throws(InvalidValue) {
        try checkIsNoBarcode(text)
        _ = try units(in: text, decimals: FieldValue.priceDecimals, of: "the finest currency")
    }

    /// Throws if a string is a whole number of 12 or 13 digits with a correct check digit: an EAN, UPC or ISBN.
    static func checkIsNoBarcode(_ text: String) throws(InvalidValue) {
        let text = text.trimmed
        guard 12...13 ~= text.utf8.count, text.utf8.allSatisfy(\.isDigit), (try? Barcode(text)) != nil else { return }
        throw InvalidValue("it looks like a barcode, so it is no amount; scan it on a line of its own")
    }
}

extension Currency {
    /// The largest amount that is typed, in whole units.
    fileprivate var largestTyped: Int64 { Self.ofLowValue.contains(code) ? 1_000_000_000 : 1_000_000 }

    /// The currencies of which a euro or a dollar buys about a hundred or more.
    private static let ofLowValue = Set(
        """
        ALL AMD AOA ARS BIF CDF CLP COP CRC CUP DJF DZD GNF GYD HTG HUF IDR IQD IRR ISK JMD JPY KES KHR KMF KPW KRW KZT
        LAK LBP LKR LRD MGA MMK MNT MWK NGN PKR PYG RSD RWF SDG SOS SSP SYP TZS UGX UZS VES VND VUV XAF XOF XPF YER
        """.split(whereSeparator: \.isWhitespace).map(String.init))
}
