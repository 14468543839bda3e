import RecordKitJSON
import RecordKit

/// Replaces a customer's name in a shop. Nothing else ever changes a movement.
struct Forgetting {
    /// How many objects have the name.
    struct Count: Equatable {
        var (records, movements, baskets) = (0, 0, 0)
    }

    static let replacement = "forgotten"

    let name: String
    var stock: Stock

    /// Replaces the name. In a dry run, only counts.
    ///
    /// - Parameter progress: Receives the number of records and movements read so far.
    func run(_ progress: (Int) -> Void) async throws -> Count {
        var count = Count()
        var read = 0
        do {
            for basket in try await stock.parkedBaskets() where try await replace(in: basket) { count.baskets += 1 }
            var skus: [SKU] = []
            try await stock.eachPage { page in
                skus += page.items.map(\.record).filter { $0.reservations.contains { $0.name == name } }.map(\.sku)
                read += page.items.count
                progress(read)
                return true
            }
            for sku in skus where try await replace(in: sku) { count.records += 1 }
            let path = ShopPath.list(Ledger.collection, in: stock.bucket)
            let list = List<ObjectPage<JSONObject>>(path: path, query: ["_sort": "id", "_limit": "1000"])
            try await stock.server.eachPage(of: list) { page in
                let found = page.items.compactMap(replaced)
                count.movements += found.count
                // A batch takes 25 requests, of which the lock is one.
                for part in found.chunks(of: 12) { try await rewrite(Array(part)) }
                read += page.items.count
                progress(read)
                return true
            }
        } catch InventoryError.noShop {
            return count
        }
        return count
    }

    /// Replaces the name in the reservations of a record. Returns whether it had it.
    private func replace(in sku: SKU) async throws -> Bool {
        var source = stock.source.numbered
        source.reason = "a customer's name was forgotten"
        let made = try await stock.change {
            try await stock.look(skus: [sku])
        } plan: { look in
            let stored = try look.record(sku)
            var record = stored.record
            for index in record.reservations.indices where record.reservations[index].name == name {
                record.reservations[index].name = Self.replacement
            }
            if record == stored.record { return [] }
            // Without old values, it is never taken back.
            return [.change(stored, to: record, [source.movement(1, of: sku, .edit, 0)])]
        }
        return !made.changes.isEmpty
    }

    private func replace(in basket: ParkedBasket) async throws -> Bool {
        let isNamed = basket.name.lowercased() == name.lowercased()
        guard isNamed || basket.customer == name else { return false }
        if stock.isDryRun { return true }
        var next = basket
        if basket.customer == name { next.customer = Self.replacement }
        // The command tells several apart.
        if isNamed { next.name = "\(Self.replacement) \(basket.command)" }
        if next.id == basket.id { return try await stock.replace(basket, by: next) }
        guard try await stock.store(next) else { return false }
        try await stock.remove(basket)
        return true
    }

    /// Writes movements again under their ids and versions, which no other change must get.
    private func rewrite(_ movements: [JSONObject]) async throws {
        if stock.isDryRun { return }
        var requests = [stock.lock.request]
        for var movement in movements {
            guard let id = movement.remove("id")?.string else { continue }
            let path = ShopPath.movement(id, in: stock.bucket)
            requests.append(BatchRequest(.delete, path))
            requests.append(BatchRequest(.put, path, .ifNew, body: .wrapped(.object(movement))))
        }
        let results = try await stock.server.value(for: Batch(requests: requests))
        for response in results.responses.dropFirst() where !response.isSuccess { throw response.failure(results.url) }
    }

    /// Returns a movement without the name, or `nil` if it doesn't have it. The members of other programs stay.
    private func replaced(in movement: JSONObject) -> JSONObject? {
        var next = movement
        next["reservation"] = movement["reservation"].map(renamed)
        if let reason = movement["reason"]?.string {
            next["reason"] = .string(reason.replacingWord(name.printable, with: Self.replacement))
        }
        if var changes = movement["changes"]?.object, var change = changes["reservations"]?.object {
            for end in ["from", "to"] {
                change[end] = change[end]?.array.map { .array($0.map(renamed)) } ?? change[end]
            }
            changes["reservations"] = .object(change)
            next["changes"] = .object(changes)
        }
        return next == movement ? nil : next
    }

    private func renamed(_ reservation: JSONValue) -> JSONValue {
        guard var object = reservation.object, object["name"]?.string == name else { return reservation }
        object["name"] = .string(Self.replacement)
        return .object(object)
    }
}

extension String {
    /// Replaces a word or several, where no other letter or digit is next to them.
    fileprivate func replacingWord(_ word: String, with other: String) -> String {
        func isPart(_ character: Character?) -> Bool { character.map { $0.isLetter || $0.isNumber } ?? false }
        var text = ""
        var rest = self[...]
        while let range = rest.firstRange(of: word) {
            let before = range.lowerBound == startIndex ? nil : self[index(before: range.lowerBound)]
            let isWord = !isPart(before) && !isPart(self[range.upperBound...].first)
            text += rest[..<range.lowerBound] + (isWord ? other : word)
            rest = rest[range.upperBound...]
        }
        return text + rest
    }
}
