import Foundation

/// Who makes movements: the till, the person, and the command.
struct MovementSource: Sendable {
    var till = ProcessInfo.processInfo.hostName
    var person: String?
    var reason: String?
    /// The id of the command, from which the ids of its movements follow. `nil` makes a new one for each change.
    var command: String?
    /// Whether the id of the command was just created, so that no movement has it yet.
    var isNewCommand = false
    /// Whether the command is an import.
    var isImport = false
    var now: @Sendable () -> MovementTime = { .now() }

    /// Creates an id for a command. Starts with the day, so that a person finds it in the history.
    static func newCommand(on day: CalendarDay) -> String {
        var generator = SystemRandomNumberGenerator()
        let random = "\(SKU.random(using: &generator))\(SKU.random(using: &generator))".filter { $0 != "-" }
        return "\(day.description.dropFirst(2).replacing("-", with: ""))-\(random)"
    }

    /// The source with the id of one command.
    var numbered: MovementSource {
        var source = self
        source.command = command ?? Self.newCommand(on: now().day)
        return source
    }

    /// Creates a movement of the command.
    ///
    /// - Parameter number: The number of the movement in the command, from 1 on. `nil` if the command changes each of
    ///   many records once.
    func movement(_ number: Int?, of sku: SKU, _ kind: Movement.Kind, _ quantity: Int) -> Movement {
        let time = now()
        let command = command ?? Self.newCommand(on: time.day)
        let id = number.map { Movement.id($0, of: command) } ?? Movement.id(of: sku.recordID, by: command)
        return Movement(
            id: id, sku: sku, kind: kind, quantity: quantity, time: time, till: till, person: person, reason: reason,
            command: command, isImport: isImport ? true : nil)
    }

    /// Creates the movement that makes copies available again, and takes back the one that put them aside.
    func release(_ number: Int, of sku: SKU, _ reservation: Reservation) -> Movement {
        var movement = movement(number, of: sku, .release, -reservation.quantity)
        movement.reservation = reservation
        movement.undoes = reservation.id
        return movement
    }

    /// Creates the first movement of a record.
    ///
    /// - Parameter isAdded: Whether the record is new. Otherwise only its ledger is, and no undo removes the record.
    func opening(of record: Record, isAdded: Bool) -> Movement {
        var movement = movement(1, of: record.sku, .opening, record.quantity)
        movement.id = Movement.openingID(of: record.sku.recordID)
        movement.changes = isAdded ? [] : nil
        return movement
    }

    /// Creates the movement of a record whose fields were set: a correction of the quantity, or an edit.
    ///
    /// - Parameter number: See ``movement(_:of:_:_:)``. So for a deletion.
    func correction(_ number: Int?, from old: Record, to new: Record) -> Movement {
        let difference = new.quantity.subtractingReportingOverflow(old.quantity).partialValue
        let kind = difference == 0 ? Movement.Kind.edit : .correction
        var movement = movement(number, of: new.sku, kind, difference)
        movement.changes = [Movement.Change](from: old, to: new)
        return movement
    }

    /// Creates the last movement of a record, which keeps the whole of it.
    func deletion(_ number: Int?, of stored: StoredRecord) -> Movement {
        var movement = movement(number, of: stored.record.sku, .deletion, 0 &- stored.record.quantity)
        movement.changes = [Movement.Change](deleting: stored)
        return movement
    }
}
