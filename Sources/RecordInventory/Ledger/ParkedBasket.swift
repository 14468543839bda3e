import RecordKitJSON
import RecordKit

/// A basket that a till has put aside, for any till to take up. It holds no copies.
struct ParkedBasket: Sendable, Equatable {
    struct Line: Sendable, Equatable {
        /// `none` for what has no record.
        let sku: SKU
        /// The name and the genre of what has no record.
        var title: String?
        var genre: String?
        let count: Int
        /// The price that the customer was shown. `nil` if it is the one of the sale that comes back.
        var price: Money?
        var found = 0
        var kind: Movement.Kind
        /// The id of the movement that copies come back from.
        var sale: String?
    }

    var name: String
    let till: String
    var person: String?
    var time: MovementTime
    /// The id of the sale, whichever till makes it.
    let command: String
    var customer: String?
    var discount: String?
    var lines: [Line]
    /// The mark of the till that took it up, and when. It then removes the basket.
    var taken: String?
    var takenAt: Int64?
    /// The version of the object, if it was read.
    var version: Version?

    /// The collection of the baskets, beside `records`.
    static let collection = "parked"

    /// Two baskets have different names, without regard to case.
    static func id(_ name: String) -> String { name.lowercased().kintoID }

    /// Whether the basket can be taken up. A till that was killed while it did so is given up after a minute.
    func isFree(at now: MovementTime) -> Bool {
        guard taken != nil, let takenAt else { return true }
        return (now.milliseconds &- takenAt).magnitude > 60_000
    }

    /// `Ada, 3 copies, till-1, 2026-11-23 10:04`
    var text: String {
        let count = lines.map(\.count).reduce(0, &+)
        return "\(name.printable), \(count.counted("copy", "copies")), \(till.printable), \(time.minuteText)"
    }
}

extension ParkedBasket: TillObject {
    var id: String { Self.id(name) }

    func isSame(as other: ParkedBasket) -> Bool { command == other.command }

    var json: JSONValue {
        let basket: JSONValue = .leavingOutNull([
            "name": .string(name), "till": .string(till), "person": JSONValue(person), "command": .string(command),
            "customer": JSONValue(customer), "discount": JSONValue(discount), "lines": .array(lines.map(\.json)),
            "taken": JSONValue(taken), "taken_at": JSONValue(takenAt),
        ])
        return basket.adding(time.members)
    }

    init(json object: JSONView) throws(JSONFault) {
        name = try object.value("name")
        till = try object.value("till")
        person = try object.optional("person")
        time = try MovementTime(of: object)
        command = try object.value("command")
        customer = try object.optional("customer")
        discount = try object.optional("discount")
        lines = try object.value("lines")
        taken = try object.optional("taken")
        takenAt = try object.optional("taken_at")
        version = Version(in: object)
    }
}

extension ParkedBasket.Line: JSONReadable {
    fileprivate var json: JSONValue {
        .leavingOutNull([
            "sku": sku == .none ? .null : .string(sku.text), "title": JSONValue(title), "genre": JSONValue(genre),
            "count": JSONValue(count), "price": price?.json ?? .null, "found": JSONValue(found),
            "kind": .string(kind.rawValue), "sale": JSONValue(sale),
        ])
    }

    init(json object: JSONView) throws(JSONFault) {
        sku = try object.optional("sku") ?? .none
        title = try object.optional("title")
        genre = try object.optional("genre")
        count = try object.value("count")
        price = try object.optional("price")
        found = try object.optional("found") ?? 0
        kind = try object.value("kind")
        sale = try object.optional("sale")
        guard Record.quantities.contains(count), Record.quantities.contains(found) else {
            throw JSONFault.invalid("out of range").within("count")
        }
    }
}

extension Stock {
    /// Returns the baskets that can be taken up, by their times.
    func parkedBaskets() async throws -> [ParkedBasket] {
        let path = ShopPath.list(ParkedBasket.collection, in: bucket)
        let baskets: [ParkedBasket] = try await server.all(List(path: path, query: ["_sort": "id"]))
        return baskets.filter { $0.isFree(at: source.now()) }
            .sorted { ($0.time.milliseconds, $0.name) < ($1.time.milliseconds, $1.name) }
    }

    func parkedBasket(_ name: String) async throws(InventoryError) -> ParkedBasket? {
        let path = ShopPath.object(ParkedBasket.id(name), of: ParkedBasket.collection, in: bucket)
        let basket: ParkedBasket? = try await server.found(Get(path: path))
        return basket.flatMap { $0.isFree(at: source.now()) ? $0 : nil }
    }

    /// Takes a basket up, and removes it. Returns false if another till was faster.
    ///
    /// The mark is written behind the lock, and then read: so a lost response makes no difference.
    func takeUp(_ basket: ParkedBasket) async throws -> Bool {
        guard let version = basket.version else { return false }
        let path = ShopPath.object(basket.id, of: ParkedBasket.collection, in: bucket)
        let mark = MovementSource.newCommand(on: source.now().day)
        let claim = BatchRequest(
            .patch, path, .ifUnchanged(since: version),
            body: .wrapped(["taken": .string(mark), "taken_at": .integer(source.now().milliseconds)]))
        let sent = await server.result(for: Batch(requests: [lock.request, claim]))
        let current: ParkedBasket? = try await server.found(Get(path: path))
        if current?.taken == mark {
            // If this fails, others see the basket again in a minute. It is sold once under its command in any case.
            _ = await server.result(for: Batch(requests: [lock.request, BatchRequest(.delete, path)]))
            return true
        }
        if case .failure(let error) = sent, current?.version == version { throw error }
        return false
    }
}
