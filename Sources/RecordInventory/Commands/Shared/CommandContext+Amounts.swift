import RecordKit

// Amounts that are typed without a record, whose currency isn't known.
extension CommandContext {
    /// Parses an amount, with or without its currency.
    ///
    /// - Parameters:
    ///   - name: The word or the option that takes it.
    ///   - taken: The currencies of the till since its last close.
    func amount(
        _ text: String, _ name: String, _ command: String, taken: Set<Currency> = []
    ) async throws -> Money {
        let text = text.contains(",") ? try await stock.readSettings().decimal(text) : text
        let words = text.split(whereSeparator: \.isWhitespace)
        let usual = words.count == 2 ? nil : try await usualCurrency(taken)
        guard words.count == 2 || usual != nil else {
            throw UsageError(
                "\(name) \"\(text.shown)\" requires its currency, such as \(name) '100.00 EUR'", command: command)
        }
        return try text.parsed(as: name, command: command) { text throws(InvalidValue) in
            if let usual { return try Money(typed: text, in: usual) }
            return try Money(typed: String(words[0]), in: Currency(words[1]))
        }
    }

    /// Returns the currency of what is sold at the till without a record.
    func currencyOfAmounts(_ word: String) async throws -> Currency {
        try await checkHasRecords()
        guard let currency = try await usualCurrency([]) else {
            throw CommandFailure(
                .usage, "\(word): the stock has several currencies; scan a record first, or `config set currency EUR`")
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

    /// Throws if the shop has no records. Its name may be mistyped, and what is noted there would be lost.
    func checkHasRecords() async throws {
        let query: RequestQuery = ["_limit": "1", "_fields": "id"]
        guard try await stock.objects(ShopPath.records, query).isEmpty else { return }
        throw CommandFailure(
            .notFound,
            "the shop \"\(stock.bucket)\" has no records, so nothing was changed; check its name, or add some")
    }
}
