import RecordKitJSON
import RecordKit

// Closing tills.
extension Stock {
    /// Looks at what the till of the source took since its last close. The close that would be made now counts the
    /// earliest commands if there are too many for one.
    ///
    /// - Parameters:
    ///   - limit: The maximum size of the names of the commands in one close, in bytes. 0 reads no commands.
    ///   - unreadable: Receives each movement that cannot be read, and so is not counted.
    /// - Returns: The close, and how many commands are left for the next one.
    func openClosing(
        limit: Int = Closing.sizeLimit, unreadable: (Unreadable) -> Void
    ) async throws -> (closing: Closing, left: Int) {
        // The closes are read first. A command that is made meanwhile is counted now or by the next close. A close that
        // is made meanwhile has the number of this one, which is then refused.
        let closings = try await closings()
        let named = Set(closings.flatMap(\.commands))
        var commands: [String: [Movement]] = [:]
        if limit > 0 {
            // PostgreSQL reads the whole ledger for each page.
            let filter = MovementFilter(till: source.till, kinds: MovementSums.kinds, pageSize: 5_000)
            try await eachMovementPage(filter) { page in
                for error in page.unreadable { unreadable(error) }
                for movement in page.items {
                    guard movement.hasSummableAmounts else {
                        unreadable(.tooLarge(movement))
                        continue
                    }
                    let command = movement.command ?? movement.id
                    if !named.contains(command) { commands[command, default: []].append(movement) }
                }
                return true
            }
        }
        var closing = Closing(
            till: source.till, number: closings.count + 1, time: source.now(), person: source.person,
            token: MovementSource.newCommand(on: source.now().day))
        let namedFloats = Set(closings.flatMap(\.floats))
        let floats: [CashFloat] = try await listed()
        for float in floats where !namedFloats.contains(float.id) { try closing.add(float) }
        let namedMoves = Set(closings.flatMap(\.drawer))
        let moves: [DrawerMove] = try await listed(by: "time.at")
        for move in moves where !namedMoves.contains(move.id) { try closing.add(move) }
        let ordered = commands.map { command, movements in
            (time: movements.map(\.time.milliseconds).min() ?? 0, command: command, movements: movements)
        }.sorted { ($0.time, $0.command) < ($1.time, $1.command) }
        var size = 0
        let counted = ordered.prefix { next in
            size += next.command.utf8.count + 3
            return size <= limit
        }
        for (_, command, movements) in counted { try closing.add(movements, of: command) }
        closing.sums.sort { ($0.currency.code, $0.payment ?? "") < ($1.currency.code, $1.payment ?? "") }
        closing.cash.sort { $0.currency.code < $1.currency.code }
        return (closing, ordered.count - counted.count)
    }

    /// Returns the close with a number of the till of the source, or `nil` if there is none.
    func closing(_ number: Int) async throws(InventoryError) -> Closing? {
        try await server.found(
            Get(path: ShopPath.object(Closing.id(number, of: source.till), of: Closing.collection, in: bucket)))
    }

    /// Returns the closes of the till of the source, by their numbers.
    func closings() async throws -> [Closing] {
        let closings: [Closing] = try await listed()
        for (index, closing) in closings.enumerated() where closing.number != index + 1 {
            throw MissingClosing(till: source.till, number: index + 1)
        }
        return closings
    }

    /// Stores an object, and creates its collection if that is missing. Returns false if another object has its id: a
    /// close with this number, or a float in this currency.
    func store<Object: TillObject>(_ object: Object) async throws(InventoryError) -> Bool {
        let path = ShopPath.object(object.id, of: Object.collection, in: bucket)
        let creation = Write(path: path, data: object.json, headers: .ifNew, asksIfLost: true)
        do {
            do {
                try await server.value(for: creation)
            } catch InventoryError.noShop {
                try await server.create(ShopPath.collection(Object.collection, in: bucket))
                try await server.value(for: creation)
            }
            return true
        } catch {
            switch error {
            case .noShop: throw .notAllowed
            case .conflict, .unanswered:
                // Without an object it is not known whether the request still arrives. If it is this one, the response
                // to an earlier attempt was lost.
                guard let other: Object = try? await server.found(Get(path: path)) else { throw error }
                return other.isSame(as: object)
            default: throw error
            }
        }
    }

    /// Returns the numbers of the closes of all tills, by the commands that they count.
    ///
    /// - Parameter time: Leaves out the closes that were made before.
    func closes(since time: Int64?) async throws -> [String: Int] {
        var query = RequestQuery()
        query.add("min_time.at", time)
        query.add("_sort", "id")
        query.add("_limit", 20)
        var numbers: [String: Int] = [:]
        let path = ShopPath.list(Closing.collection, in: bucket)
        let closings: [Closing] = try await server.all(List(path: path, query: query))
        for closing in closings { for command in closing.commands { numbers[command] = closing.number } }
        return numbers
    }

    /// Returns the objects of the till by a field, so that one that is created meanwhile comes last.
    private func listed<Object: TillObject>(by field: String = "number") async throws -> [Object] {
        var query = RequestQuery()
        query.add("till", JSONValue.string(source.till).text())
        query.add("_sort", field)
        // A close may have half a megabyte.
        query.add("_limit", 20)
        return try await server.all(List(path: ShopPath.list(Object.collection, in: bucket), query: query))
    }
}

/// What a till keeps beside the ledger, in its own collection: its closes, its floats, and its petty cash.
protocol TillObject: StoredValue, KintoReadable {
    static var collection: String { get }

    var id: String { get }

    /// Returns whether the other object is the same command, sent again.
    func isSame(as other: Self) -> Bool
}

/// A close between two others is missing. Another program removed it, so what it counted would be counted again.
struct MissingClosing: Error, CustomStringConvertible {
    let till: String
    let number: Int

    var description: String {
        "the close Z \(number) of the till \(till) is missing, so what it counted would be counted again; bring back "
            + "the object \(Closing.id(number, of: till)) in the collection \(Closing.collection) from a backup"
    }
}
