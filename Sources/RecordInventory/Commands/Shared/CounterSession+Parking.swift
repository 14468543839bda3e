// Putting a basket aside, and taking it up.
extension CounterSession {
    /// Puts the basket aside. With an empty one, takes up another.
    mutating func park(_ name: String) async throws {
        if basket.isEmpty { return try await takeUp(name) }
        guard name.count <= 64 else { throw CommandFailure(.usage, "park takes a name of at most 64 characters") }
        var given = name.isEmpty ? basket.parked?.name ?? basket.customer : name
        if given == nil {
            let names = Set(try await stock.parkedBaskets().map(\.name))
            given = (1...names.count + 1).map(String.init).first { !names.contains($0) }
        }
        let parked = basket.parked(as: given ?? "", by: stock.source)
        if context.isDryRun {
            return console.note("Nothing was written. It would be parked as \(parked.name.printable).")
        }
        let old = basket.parked
        let isStored =
            if let old, old.id == parked.id { try await stock.replace(old, by: parked) != nil } else {
                try await stock.store(parked)
            }
        guard isStored else {
            throw CommandFailure(.conflict, "a basket is parked as \(parked.name.printable) already; give another name")
        }
        if old?.id != parked.id { try await discardParked() }
        basket.empty()
        console.note("Parked the basket as \(parked.name.printable). No copies are held; `park` takes it up again.")
    }

    /// Removes the parked basket that was taken up, since it will not be sold.
    mutating func discardParked() async throws {
        guard let parked = basket.parked, !context.isDryRun else { return }
        try await stock.remove(parked)
        basket.parked = nil
    }

    /// Takes up the basket with a name, or the only one. Lists them if there are several. It stays parked until it is
    /// paid, with a mark for the other tills.
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
        guard var parked else { throw CommandFailure(.notFound, "no basket is parked as \(name.printable)") }
        if let other = parked.taken, other.till != stock.source.till {
            let told =
                "till \(other.till.printable) has the basket \(parked.name.printable) since \(other.time.minuteText)"
            guard let answer = try console.confirm("The \(told). Take it up here?") else {
                throw CommandFailure(.conflict, "the \(told); another till takes it up only at a terminal")
            }
            if !answer { return console.note("The basket stays at the till \(other.till.printable).") }
        }
        var next = basket
        next.command = parked.command
        next.customer = parked.customer
        var sold: [Movement] = []
        for id in Set(parked.lines.compactMap(\.sale)).sorted() where !sold.contains(where: { $0.id == id }) {
            guard let sale = try await stock.findMovement(id) else { continue }
            let all = try await stock.movements(MovementFilter(command: sale.command ?? id))
            sold += all.isEmpty ? [sale] : all.filter { $0.kind == .sale && $0.undoes == nil }
        }
        let skus = parked.lines.map(\.code).filter { $0 != .none }
        var look = try await stock.look(skus: skus, undoing: sold.map(\.id))
        look.sales = sold
        next.know(sold, look.returns)
        var gone: [SKU] = []
        for line in parked.lines {
            do {
                try next.add(Basket.Entry(line, look))
            } catch is MissingRecord {
                gone.append(line.code)
            }
        }
        next.discount = try parked.discount.map { try $0.parsed(as: "discount", Discount.init) }
        if !context.isDryRun {
            guard let taken = try await stock.take(parked) else {
                throw CommandFailure(.conflict, "another till has taken up \(parked.name.printable) meanwhile")
            }
            parked = taken
        }
        next.parked = parked
        basket = next
        for sku in gone { console.complain("\(sku.text) was deleted meanwhile, so it is not in the basket") }
        console.note("Took up the basket \(parked.sum). It stays parked until it is paid.")
        try await run(.total, [])
    }
}

extension Basket {
    fileprivate func parked(as name: String, by source: MovementSource) -> ParkedBasket {
        ParkedBasket(
            name: name, till: source.till, person: source.person, time: source.now(),
            command: command ?? MovementSource.newCommand(on: source.now().day), customer: customer,
            discount: discount?.text, lines: entries.map(\.line))
    }
}
