// Amounts that are typed without a record, whose currency isn't known.
extension CommandContext {
    /// Parses an amount, with or without its currency.
    ///
    /// - Parameters:
    ///   - name: The word or the option that takes it.
    ///   - taken: The currencies of the till since its last close.
    func amount(_ text: String, _ name: String, taken: Set<Currency> = []) async throws -> Money {
        let text = text.contains(",") ? try await stock.readSettings().decimal(text) : text
        let words = text.split(whereSeparator: \.isWhitespace)
        let usual = words.count == 2 ? nil : try await usualCurrency(taken)
        guard words.count == 2 || usual != nil else {
            throw UsageError(
                "\(name) \"\(text.shown)\" requires its currency, such as \(name) '100.00 EUR'")
        }
        return try text.parsed(as: name) { text throws(InvalidValue) in
            if let usual { return try Money(typed: text, in: usual) }
            return try Money(typed: String(words[0]), in: Currency(words[1]))
        }
    }

    /// Returns the currency of what is sold at the till without a record.
    func currencyOfAmounts(_ word: String) async throws -> Currency {
        guard let currency = try await usualCurrency([]) else {
            throw CommandFailure(
                .usage,
                "\(word): the stock has no currency, or several; scan a record first, or `config set currency EUR`")
        }
        return currency
    }

    /// Returns the only currency that was taken. If there is none, returns that of the config, or the only one of the
    /// stock.
    private func usualCurrency(_ taken: Set<Currency>) async throws -> Currency? {
        if !taken.isEmpty { return taken.count == 1 ? taken.first : nil }
        if let currency = settings?.currency { return currency }
        let codes = try await stock.currencies(RecordFilter())
        return codes.count == 1 ? try? Currency(codes[0]) : nil
    }

    /// Creates the shop if there is none, and says where: its name may be mistyped.
    func createShop() async throws {
        if isDryRun { return }
        guard try await stock.server.found(stock.shopSettings) == nil else { return }
        try await stock.makeShop()
        let name = stock.bucket == Settings.usualBucket ? "" : " \"\(stock.bucket)\""
        console.note("Created the shop\(name) \(place.isStore ? "in" : "on") \(place.name).")
    }
}
