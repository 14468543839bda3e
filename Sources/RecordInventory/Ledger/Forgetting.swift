import RecordKitJSON
import RecordKit

/// Replaces a customer's name in a shop. Nothing else ever changes a movement.
struct Forgetting {
    /// How many objects have the name.
    struct Count: Equatable {
        var (records, movements, baskets, closes, drawer) = (0, 0, 0, 0, 0)
    }

    static let replacement = "forgotten"

    let name: NamePattern
    var stock: Stock
    /// Receives each text that has the name: what it is, and the text.
    var found: (_ place: String, _ text: String) -> Void
    /// Receives what has the name and keeps it: an artist, a title, a label, the person of a till.
    var kept: (_ place: String) -> Void

    /// Replaces the name. In a dry run, only counts.
    ///
    /// - Parameter progress: Receives the number of records and movements read so far.
    func run(_ progress: (Int) -> Void) async throws -> Count {
        var count = Count()
        var read = 0
        do {
            for basket in try await stock.parkedBaskets() where try await replace(in: basket) { count.baskets += 1 }
            count.closes = try await replaceReasons(of: Closing.collection, "close")
            count.drawer = try await replaceReasons(of: DrawerMove.collection, "move of the drawer")
            var skus: [SKU] = []
            try await stock.eachPage { page in
                for record in page.items.lazy.map(\.record) {
                    for (field, text) in [
                        ("artist", record.artist), ("title", record.title), ("label", record.label ?? ""),
                    ]
                    where name.isName(text) { kept("the \(field) of \(record.sku.text)") }
                    if replaced(in: record, found) != nil { skus.append(record.sku) }
                }
                read += page.items.count
                progress(read)
                return true
            }
            for sku in skus where try await replace(in: sku) { count.records += 1 }
            count.movements = try await replaceInMovements { progress(read + $0) }
        } catch InventoryError.noShop {
            return count
        }
        return count
    }

    // MARK: Records

    /// Returns a record without the name, or `nil` if it doesn't have it.
    private func replaced(in record: Record, _ found: (String, String) -> Void) -> Record? {
        var next = record
        func replace(_ text: inout String?, _ place: String) {
            guard let old = text, let new = name.replaced(in: old, with: Self.replacement) else { return }
            found("the \(place) of \(record.sku.text)", old)
            text = new
        }
        replace(&next.notes, "notes")
        replace(&next.consignor, "consignor")
        for index in next.reservations.indices where name.isName(next.reservations[index].name) {
            found("a reservation of \(record.sku.text)", next.reservations[index].name)
            next.reservations[index].name = Self.replacement
        }
        return next == record ? nil : next
    }

    /// Replaces the name in a record. Returns whether it had it.
    private func replace(in sku: SKU) async throws -> Bool {
        var source = stock.source.numbered
        source.reason = "a customer's name was forgotten"
        let made = try await stock.change {
            try await stock.look(skus: [sku])
        } plan: { look in
            let stored = try look.record(sku)
            guard let record = replaced(in: stored.record, { _, _ in }) else { return [] }
            // Without old values, it is never taken back.
            return [.change(stored, to: record, [source.movement(1, of: sku, .edit, 0)])]
        }
        return !made.changes.isEmpty
    }

    // MARK: What a till keeps

    private func replace(in basket: ParkedBasket) async throws -> Bool {
        var next = basket
        // The command tells several apart.
        if name.isName(basket.name) { next.name = "\(Self.replacement) \(basket.command)" }
        if let customer = basket.customer, name.isName(customer) { next.customer = Self.replacement }
        for index in next.lines.indices {
            guard let title = next.lines[index].item?.title else { continue }
            next.lines[index].item?.title = name.replaced(in: title, with: Self.replacement) ?? title
        }
        if next == basket { return false }
        found("a parked basket", basket.text)
        if stock.isDryRun { return true }
        if next.id == basket.id { return try await stock.replace(basket, by: next) != nil }
        // Another object of the list may have the version by now.
        next.version = nil
        guard try await stock.store(next) else { return false }
        try await stock.remove(basket)
        return true
    }

    /// Replaces the name in the reasons of closes or of moves of the drawer. Returns how many had it.
    private func replaceReasons(of collection: String, _ title: String) async throws -> Int {
        let path = ShopPath.list(collection, in: stock.bucket)
        let list = List<ObjectPage<JSONView>>(path: path, query: ["_sort": "id", "_limit": "20"])
        var changed: [(id: String, reason: String)] = []
        for object in try await stock.server.all(list) {
            let id = object.last("id")?.string ?? ""
            if let person = object.last("person")?.string, name.isName(person) {
                kept("the person of the \(title) \(id)")
            }
            guard let reason = object.last("reason")?.string,
                let new = name.replaced(in: reason, with: Self.replacement)
            else { continue }
            found("the reason of the \(title) \(id)", reason)
            changed.append((id, new))
        }
        for (id, reason) in changed where !stock.isDryRun {
            let path = ShopPath.object(id, of: collection, in: stock.bucket)
            try await stock.server.value(for: Write(path: path, data: ["reason": .string(reason)], method: .patch))
        }
        return changed.count
    }

    // MARK: Movements

    private func replaceInMovements(_ progress: (Int) -> Void) async throws -> Int {
        let path = ShopPath.list(Ledger.collection, in: stock.bucket)
        let list = List<ObjectPage<JSONObject>>(path: path, query: ["_sort": "id", "_limit": "1000"])
        var (count, read, persons) = (0, 0, 0)
        try await stock.server.eachPage(of: list) { page in
            let changed = page.items.compactMap(replaced)
            count += changed.count
            persons += page.items.count { $0["person"]?.string.map(name.isName) == true }
            // A batch takes 25 requests, of which the lock is one.
            for part in changed.chunks(of: 12) { try await rewrite(Array(part)) }
            read += page.items.count
            progress(read)
            return true
        }
        if persons > 0 { kept("the person of the till in \(persons.counted("movement"))") }
        return count
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
        // Without a SKU, the title is the name of what was sold without a record.
        let texts = ["reason", "notes", "consignor"] + (movement["sku"] == nil ? ["title"] : [])
        for member in ["reservation", "reason", "item", "changes"] {
            next[member] = movement[member].map {
                replaced(in: $0, member, texts, "the movement \(movement["id"]?.string ?? "")")
            }
        }
        return next == movement ? nil : next
    }

    /// Returns the value of a member without the name, which is the name of a reservation, or within one of some texts.
    private func replaced(in value: JSONValue, _ member: String, _ texts: [String], _ place: String) -> JSONValue {
        switch value {
        case .string(let old):
            let isName = member == "name" && name.isName(old)
            let new = texts.contains(member) ? name.replaced(in: old, with: Self.replacement) : nil
            guard let new = isName ? Self.replacement : new else { return value }
            found(place, old)
            return .string(new)
        case .array(let values):
            return .array(values.map { replaced(in: $0, member, texts, place) })
        case .object(var object):
            // A change names the field whose values it has.
            let field = object["field"]?.string
            for inner in object.members where inner.name != "field" {
                object[inner.name] = replaced(in: inner.value, field ?? inner.name, texts, place)
            }
            return .object(object)
        default: return value
        }
    }
}
