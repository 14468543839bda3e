// Putting a basket aside, and taking it up.
extension CounterSession {
    /// Puts the basket aside. With an empty one, takes up another.
    mutating func park(_ name: String) async throws {
        if basket.isEmpty { return try await takeUp(name) }
        try await context.checkHasRecords()
        guard name.count <= 64 else { throw CommandFailure(.usage, "park takes a name of at most 64 characters") }
        var given = name.isEmpty ? basket.customer : name
        if given == nil {
            let names = Set(try await stock.parkedBaskets().map(\.name))
            given = (1...names.count + 1).map(String.init).first { !names.contains($0) }
        }
        let parked = basket.parked(as: given ?? "", by: stock.source)
        if context.isDryRun {
            return console.note("Nothing was written. It would be parked as \(parked.name.printable).")
        }
        guard try await stock.store(parked) else {
            throw CommandFailure(.conflict, "a basket is parked as \(parked.name.printable) already; give another name")
        }
        basket.empty()
        console.note("Parked the basket as \(parked.name.printable). No copies are held; `park` takes it up again.")
    }

    /// Takes up the basket with a name, or the only one. Lists them if there are several.
    private mutating func takeUp(_ name: String) async throws {
        var parked: ParkedBasket?
        if name.isEmpty {
            let all = try await stock.parkedBaskets()
            if all.isEmpty { throw CommandFailure(.notFound, "no basket is parked") }
            guard all.count == 1 else {
                for basket in all { try show(basket.text.escapedForTerminal) }
                return console.note("Several baskets are parked; take one up with park NAME.")
            }
            parked = all[0]
        } else {
            parked = try await stock.parkedBasket(name)
        }
        guard let parked else { throw CommandFailure(.notFound, "no basket is parked as \(name.printable)") }
        var next = basket
        next.command = parked.command
        next.customer = parked.customer
        next.discount = try parked.discount.map { try $0.parsed(as: "discount", Discount.init) }
        let lines = try await parked.lines(in: stock)
        let look = try await stock.look(
            skus: lines.filter { $0.item == nil }.map(\.code), undoing: lines.compactMap(\.sale?.id))
        var gone: [SKU] = []
        for line in lines {
            do {
                next.entries.append(try Basket.Entry(line, look))
            } catch is MissingRecord {
                gone.append(line.code)
            }
        }
        if !context.isDryRun, try await !stock.takeUp(parked) {
            throw CommandFailure(.conflict, "another till has taken up \(parked.name.printable) meanwhile")
        }
        basket = next
        for sku in gone { console.complain("\(sku.text) was deleted meanwhile, so it is not in the basket") }
        console.note("Took up the basket \(parked.text).")
        try await run(.total, [])
    }
}

extension Basket {
    fileprivate func parked(as name: String, by source: MovementSource) -> ParkedBasket {
        ParkedBasket(
            name: name, till: source.till, person: source.person, time: source.now(),
            command: command ?? MovementSource.newCommand(on: source.now().day), customer: customer,
            discount: discount?.text,
            lines: entries.map { entry in
                ParkedBasket.Line(
                    sku: entry.sku, title: entry.line.item?.title, genre: entry.line.item?.genre,
                    count: entry.line.count, price: entry.line.price, found: entry.line.found, kind: entry.kind,
                    sale: entry.line.sale?.id)
            })
    }
}

extension ParkedBasket {
    /// Returns the lines of the basket, with the sales that copies come back from.
    fileprivate func lines(in stock: Stock) async throws -> [CopyMove.Line] {
        var found: [CopyMove.Line] = []
        for parked in lines {
            var line = CopyMove.Line(code: parked.sku, count: parked.count, price: parked.price, found: parked.found)
            if parked.kind != .sale { line.kind = parked.kind }
            if let id = parked.sale { line.sale = try await stock.findMovement(id) }
            if parked.sku == .none {
                let price = parked.price ?? line.sale?.price ?? Record.blank.price
                let own = CopyMove.Line(parked.kind, price, name: parked.title ?? "", genre: parked.genre)
                line.item = own.item
                line.kind = own.kind
            }
            found.append(line)
        }
        return found
    }
}
