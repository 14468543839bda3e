/// What a shell offers for the last of the words of a command line, from the commands' own descriptions.
struct Completion {
    /// The line for which a shell offers its files.
    static let file = "<file>"

    /// What the last word is a value of, or begins to be. `nil` for an option or a command.
    private var value: ValueKind?
    /// The options or commands that the last word may be, with their help.
    private var names: [(name: String, help: String)] = []
    /// The part of the last word that stays, and the part that is completed.
    private var kept = ""
    private var typed: String

    /// - Parameter words: The words without the name of the tool.
    init(_ words: [String]) {
        let before = Array(words.dropLast())
        let position = (try? Invocation.commandPosition(in: before)) ?? nil
        let usage = position.flatMap { try? CommandList.command(named: before[$0]) }?.usage
        let options = Option.global + (usage?.options ?? [])
        typed = words.last ?? ""
        func kind(of name: String?) -> ValueKind? { options.first { $0.name == name }?.value }
        let (name, attached) = ArgumentScanner.split(typed)
        if typed.hasPrefix("--"), let attached {
            (value, kept, typed) = (kind(of: name), name + "=", attached)
        } else if let own = kind(of: before.last) {
            value = own
        } else if typed.hasPrefix("-") {
            names = options.map { ($0.name, $0.help) }
        } else if let operands = usage?.operands {
            value = operands.placeholder == nil ? nil : operands.kind
        } else if position.map({ before[$0] }) ?? "help" == "help" {
            names = CommandList.all.map { ($0.usage.name, $0.usage.summary) }
        }
        guard let completion = value?.completion, [.list, .order].contains(completion) else { return }
        let last = typed.split(separator: ",", omittingEmptySubsequences: false).last ?? ""
        let piece = completion == .order && last.hasPrefix("-") ? last.dropFirst() : last
        kept += typed.dropLast(piece.count)
        typed = String(piece)
    }

    /// Returns the words to offer, each with its help behind a tab.
    func lines(in context: CommandContext) async throws -> [String] {
        switch value?.completion {
        case .none?: []
        case .file: [Self.file]
        case nil: names.filter { $0.name.hasPrefix(typed) }.map { "\($0.name)\t\($0.help)" }
        case .words, .list, .order: offers(value?.words ?? [])
        case .payment: offers(try await isReady(context) ? context.stock.readSettings().kinds.all : PaymentKinds.common)
        case .sku, .shelf:
            try await isReady(context) ? offers(valuesInStock(context.stock)) : []
        }
    }

    private func offers(_ words: [String]) -> [String] {
        words.filter { $0.hasPrefix(typed) }.map { (kept + $0).escapedForTabs }
    }

    /// Returns whether the stock can be read: completing must not wait for a server, or create a store.
    private func isReady(_ context: CommandContext) -> Bool {
        context.place.isStore && !context.place.isMissing
    }

    private static let most = 200

    /// Returns the SKUs or places in the stock that begin with what was typed, sorted.
    private func valuesInStock(_ stock: Stock) async throws -> [String] {
        let isSKU = value?.completion == .sku
        var found: Set<String> = []
        do {
            for filter in isSKU ? rangesOfSKUs : [RecordFilter()] {
                let end = ContinuousClock.now + .milliseconds(30)
                try await stock.eachPage(filter) { page in
                    for record in page.items.lazy.map(\.record) {
                        let value = isSKU ? record.sku.text : record.location ?? ""
                        if !value.isEmpty, value.hasPrefix(typed) { found.insert(value) }
                    }
                    // A person waits. In a large stock, the first shelves are enough.
                    return found.count < Self.most && ContinuousClock.now < end
                }
            }
        } catch InventoryError.noShop {
            return []
        }
        return Array(found.sorted().prefix(Self.most))
    }

    /// The filters for the records whose SKU may begin with what was typed. A SKU with other characters than those of
    /// an id has an id of its own form.
    private var rangesOfSKUs: [RecordFilter] {
        guard let sku = try? SKU(typed) else { return [RecordFilter(pageSize: Self.most)] }
        let escaped = sku.text.escapedKintoID
        let starts = sku.recordID == typed ? [typed, escaped] : [escaped]
        // "{" follows all characters of ids.
        return starts.map { RecordFilter(ids: $0..<($0 + "{"), pageSize: Self.most) }
    }
}
