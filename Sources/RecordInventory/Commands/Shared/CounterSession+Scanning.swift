// What is scanned, comes back, is bought, or has no record.
extension CounterSession {
    /// Lists the records with some words, a few of them.
    func find(_ text: String) async throws {
        if text.isEmpty { throw CommandFailure(.usage, "find takes words: find kind of blue") }
        let query = SearchQuery(typed: text)
        let limit = 20
        var filter = RecordFilter()
        if context.place.isStore { filter.search = query.text }
        var records: [Record] = []
        try await context.eachPage(filter) { page in
            records += page.map(\.record).filter { $0.matches(query) }
            return records.count <= limit
        }
        for record in records.prefix(limit) {
            let available = record.available(on: context.today)
            try show([record.name, record.price.text, "\(available) left", record.location ?? ""])
        }
        if records.isEmpty { console.note("No record has these words.") }
        if records.count > limit { console.note("There are more; type more words.") }
    }

    /// Adds a code to the basket, or several copies: `3 x LP-1`.
    ///
    /// - Parameter mayBeMissing: Whether copies are in the hand that the stock doesn't have.
    mutating func add(_ line: String, mayBeMissing: Bool = false) async throws {
        var (count, text) = (1, line.trimmed)
        if let (number, code) = line.copies {
            guard Record.quantities.contains(number), number > 0 else {
                throw CommandFailure(.usage, "\"\(text.shown)\": a number of copies from 1 on")
            }
            (count, text) = (number, code)
            let operands = text.split(whereSeparator: \.isWhitespace).map(String.init)
            if operands.count > 2, operands[0].lowercased() == TillWord.item.rawValue {
                return try await sellItem(Array(operands.dropFirst()), count)
            }
        }
        let taken = basket.sums.sold
        let code = try ArgumentScanner.sku(text)
        let stored = try await context.look(at: [code])
            .record(for: code, isSale: true, taken: taken.mapValues(\.count))
        let record = stored.record
        if !basket.sellsDrafts { try record.checkOffered() }
        let own = basket.customer.map { record.reserved(on: context.today, for: $0) } ?? 0
        let all = record.available(on: context.today) + own
        let (scanned, found) = taken[record.sku] ?? (0, 0)
        var available = all + found - scanned
        if mayBeMissing, available < 0 {
            // Another till has sold them since they were scanned.
            let number = try basket.find(min(count, 0 - available), of: record.sku)
            try show("found  \(number) of \(record.sku.text) in the basket")
            return try showTotal()
        }
        let missing = mayBeMissing ? max(0, count - max(0, available)) : 0
        available += missing
        guard count <= available else {
            let kept = all < record.quantity ? "; after `for NAME`, a reserved copy can be sold" : ""
            throw CommandFailure(
                .conflict, "there are not enough copies of \(record.sku.text): \(all) can be sold\(kept)")
        }
        let price = record.price
        let line = CopyLine(code: record.sku, count: count, price: price, found: missing)
        try await put([Basket.Entry(stored: stored, line: line)])
        if mayBeMissing, missing == 0 { console.note("\(record.sku.text) is in stock, so it is sold as usual.") }
        try show([
            record.sku.text, "\(record.artist): \(record.title)", record.conditions,
            (count == 1 ? "" : "\(count) x ") + price.text, "\(available - count) left",
        ])
        try showTotal()
    }

    /// Puts lines into the basket. Throws if the server does not take so many different records in one sale.
    private mutating func put(_ entries: [Basket.Entry]) async throws {
        let before = basket
        do {
            for entry in entries { try basket.add(entry) }
            // No line takes more requests, except one with reserved copies. So few fit anywhere.
            let most = basket.entries.count * 4
            guard basket.entries.count > max(before.entries.count, basket.fitting),
                most > ServerSettings.usualBatchLimit
            else { return }
            let limit = try await batchLimit()
            if basket.customer == nil, most < limit { return }
            let changes = try basket.changes(from: stock.source)
            try await stock.checkSize(of: changes)
            // Counted again when so many more lines may not fit. Otherwise each line would cost as much as all.
            basket.fitting = basket.entries.count + (limit - changes.map(\.size).reduce(changes.count, +)) / 4
        } catch {
            basket = before
            guard let error = error as? TooManyLines else { throw error }
            throw CommandFailure(
                .failed,
                "\(entries.map(\.name).joined(separator: ", ")) was not added: one sale takes \(error.limit) different "
                    + "records on this server; pay for these first, or \(error.advice)")
        }
    }

    /// Returns the number of requests that the server takes at once. Asks for it once.
    private mutating func batchLimit() async throws -> Int {
        if let limit { return limit }
        let asked = try await stock.settings().batchLimit
        limit = asked
        return asked
    }

    /// Adds the copies of a sale that are not back yet, or one of them: `return SALE [SKU]`.
    mutating func takeBack(_ operands: [String]) async throws {
        guard let id = try operands.first.map(ArgumentScanner.id) else {
            throw CommandFailure(.usage, "return takes the id of the sale, which is on its receipt")
        }
        let wanted = operands.count > 1 ? try ArgumentScanner.sku(operands.dropFirst().joined(separator: " ")) : nil
        let named = try await context.look(at: [wanted].compactMap(\.self), naming: id)
        let sales = try named.sales(named: id)
        var skus: Set<SKU>?
        let isItem = wanted.map { wanted in sales.contains { $0.isItem(wanted.text) } } ?? false
        if let wanted, !isItem {
            // The record may be deleted since.
            let isSold = sales.contains { $0.sku == wanted }
            skus = isSold ? [wanted] : Set(try named.records(for: wanted).map(\.record.sku))
        }
        var look = try await stock.look(
            skus: Array(Set(sales.map(\.sku).filter { $0 != .none })), undoing: sales.map(\.id))
        look.sales = sales
        basket.know(sales, look.returns)
        var entries: [Basket.Entry] = []
        for sale in sales where isItem ? sale.isItem(wanted?.text ?? "") : skus?.contains(sale.sku) ?? true {
            let scanned = basket.entries.filter { $0.line.sale == sale.id }.map(\.line.count)
            let open = sale.copiesLeft(after: look.returns) &- scanned.reduce(0, +)
            guard open > 0 else { continue }
            let line = CopyLine(code: sale.sku, count: wanted == nil ? open : 1, kind: .return, sale: sale.id)
            entries.append(try Basket.Entry(line, look))
            if wanted != nil { break }
        }
        guard !entries.isEmpty else {
            let copy = wanted.map { "copy of \($0.text)" } ?? "copies"
            throw CommandFailure(.conflict, "the sale \(id) has no \(copy) left to come back")
        }
        try await put(entries)
        for entry in entries { try show("return  \(entry.line.count) x \(entry.stored.record.name)") }
        try showTotal()
    }

    /// Adds a copy that the shop buys: `trade-in SKU PRICE`.
    mutating func buy(_ operands: [String]) async throws {
        guard operands.count > 1, let text = operands.last else {
            throw CommandFailure(.usage, "trade-in takes a SKU and what the customer gets: trade-in LP-1 6.00")
        }
        let code = try ArgumentScanner.sku(operands.dropLast().joined(separator: " "))
        let stored = try await context.look(at: [code]).record(for: code, isSale: false)
        let price = try amount(text, in: stored.record.price.currency, "trade-in")
        let line = CopyLine(code: stored.record.sku, price: price, kind: .tradeIn)
        try await put([Basket.Entry(stored: stored, line: line)])
        try show("trade-in  \(stored.record.name), \(price.text)")
        try showTotal()
    }
}

// What has no record.
extension CounterSession {
    /// Adds something without a record: `item 1.00 "record bag" Accessories`.
    mutating func sellItem(_ operands: [String], _ count: Int = 1) async throws {
        let rest = operands.dropFirst().joined(separator: " ")
        let quoted = rest.wholeMatch(of: /["'“”„«»‘’‚](.+?)["'“”«»‘’](?:\s+(.*))?/)
        let name = (quoted.map { String($0.1) } ?? rest).trimmed
        let genre = (quoted?.2).map { String($0).trimmed } ?? ""
        guard let text = operands.first, (try? SKU(name)) != nil, !name.contains("\"") else {
            throw CommandFailure(.usage, "item takes an amount and a short name: item 1.00 \"record bag\" Accessories")
        }
        let price = try await self.price(text, "item")
        var line = CopyLine(.sale, price, name: name, genre: genre.isEmpty ? nil : genre)
        line.count = count
        try await put([Basket.Entry(line)])
        try show("item  \(count == 1 ? "" : "\(count) x ")\(name.escapedForTerminal)  \(price.text)")
        try showTotal()
    }

    mutating func sellVoucher(_ operands: [String]) async throws {
        guard operands.count == 1 else { throw CommandFailure(.usage, "sell-voucher takes an amount: sell-voucher 20") }
        let price = try await self.price(operands[0], "sell-voucher")
        try await put([Basket.Entry(.voucher(price))])
        try show("voucher  \(price.text)")
        try showTotal()
    }

    /// Returns an amount in the currency of the basket, or in the usual one of the shop.
    private mutating func price(_ text: String, _ word: String) async throws -> Money {
        if currency == nil { currency = try await context.currencyOfAmounts(word) }
        let own = basket.entries.first?.stored.record.price.currency ?? currency
        let price = try amount(text, in: own ?? .none, word)
        guard price.amount > 0 else { throw CommandFailure(.usage, "\(word) requires an amount above 0") }
        return price
    }
}
