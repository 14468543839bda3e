import RecordKitJSON
import RecordKit

/// A basket that a till has put aside, for any till to take up. It holds no copies.
struct ParkedBasket: Sendable, Equatable {
    struct Taken: Codable, Sendable, Equatable {
        let till: String
        let time: MovementTime
    }

    var name: String
    let till: String
    var person: String?
    var time: MovementTime
    /// The id of the sale, whichever till makes it.
    let command: String
    var customer: String?
    var discount: String?
    var lines: [CopyLine]
    /// The till that took it up, and when. Its sale removes the basket.
    var taken: Taken?
    /// The version of the object, if it was read.
    var version: Version?

    private enum CodingKeys: String, CodingKey {
        case name, till, person, time, command, customer, discount, lines, taken
        case version = "last_modified"
    }

    /// The collection of the baskets, beside `records`.
    static let collection = "parked"

    /// Two baskets have different names, without regard to case.
    static func id(_ name: String) -> String { name.lowercased().kintoID }

    /// `Ada, 3 copies, till-1, 2026-11-23 10:04`
    var sum: String {
        let count = lines.map(\.count).reduce(0, &+)
        return "\(name.printable), \(count.counted("copy", "copies")), \(till.printable), \(time.minuteText)"
    }

    /// The sum, and which till has it since when.
    var text: String { sum + (taken.map { ", taken up by \($0.till.printable) at \($0.time.minuteText)" } ?? "") }
}

extension ParkedBasket: TillObject {
    var id: String { Self.id(name) }

    func isSame(as other: ParkedBasket) -> Bool { command == other.command }

    init(json: JSONView) throws(JSONFault) {
        self = try json.decoded()
        guard lines.allSatisfy({ Record.quantities.contains($0.count) && Record.quantities.contains($0.found) }) else {
            throw JSONFault.invalid("out of range").within("lines.count")
        }
    }
}

extension Stock {
    /// Returns the baskets, by the times at which they were parked.
    func parkedBaskets() async throws -> [ParkedBasket] {
        let path = ShopPath.list(ParkedBasket.collection, in: bucket)
        let baskets: [ParkedBasket] = try await server.all(List(path: path, query: ["_sort": "id"]))
        return baskets.sorted { ($0.time.milliseconds, $0.name) < ($1.time.milliseconds, $1.name) }
    }

    func parkedBasket(_ name: String) async throws(InventoryError) -> ParkedBasket? {
        try await server.found(Get(path: path(ofParked: ParkedBasket.id(name))))
    }

    /// Marks a basket for this till. Returns it as it is stored then, or `nil` if another till was faster.
    func take(_ basket: ParkedBasket) async throws(InventoryError) -> ParkedBasket? {
        var taken = basket
        taken.taken = ParkedBasket.Taken(till: source.till, time: source.now())
        return try await replace(basket, by: taken)
    }

    /// Stores a basket in the place of one with the same name. Returns it as it is stored then, or `nil` if another
    /// till changed that.
    ///
    /// The basket is written behind the lock, and then read: so a lost response makes no difference.
    func replace(_ old: ParkedBasket, by basket: ParkedBasket) async throws(InventoryError) -> ParkedBasket? {
        var next = basket
        next.version = nil
        let request = BatchRequest(
            .put, path(ofParked: basket.id), .ifUnchanged(since: old.version ?? Version(0)), storing: next)
        let sent = await server.result(for: Batch(requests: [lock.request, request]))
        let current = try await parkedBasket(basket.name)
        next.version = current?.version
        if current == next { return current }
        if case .failure(let error) = sent, current?.version == old.version { throw error }
        return nil
    }

    /// Removes a basket, unless another till has changed it.
    func remove(_ basket: ParkedBasket) async throws(InventoryError) {
        _ = try await server.value(for: Batch(requests: [lock.request, removal(of: basket)]))
    }

    /// The request that removes a basket. A sale sends it with its changes.
    func removal(of basket: ParkedBasket) -> BatchRequest {
        BatchRequest(.delete, path(ofParked: basket.id), basket.version.map { .ifUnchanged(since: $0) } ?? [:])
    }

    private func path(ofParked id: String) -> RequestPath {
        ShopPath.object(id, of: ParkedBasket.collection, in: bucket)
    }
}
