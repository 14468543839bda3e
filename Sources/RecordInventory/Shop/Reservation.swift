import RecordKitJSON

/// Copies of a record that are put aside for a customer.
struct Reservation: Hashable, Sendable {
    /// The id of the movement that made it.
    var id: String
    var name: String
    var quantity: Int
    /// The last day, or `nil` for no end. Later the copies are available again.
    var until: CalendarDay?

    /// `for Ada until 2026-12-24`
    var text: String { "for \(name.printable)" + (until.map { " until \($0)" } ?? "") }
}

extension Reservation: StoredValue {
    init(json: JSONView) throws(JSONFault) {
        self = try json.decoded()
        guard Record.quantities.contains(quantity) else { throw JSONFault.invalid("out of range").within("quantity") }
    }
}

extension Reservation {
    func stands(on day: CalendarDay) -> Bool { until.map { $0 >= day } ?? true }
}

extension Record {
    /// Returns the copies that are put aside for a customer on a day.
    func reserved(on day: CalendarDay, for name: String) -> Int {
        copies(of: reservations.filter { $0.name == name && $0.stands(on: day) })
    }

    /// Returns the copies that are put aside on a day.
    func reserved(on day: CalendarDay) -> Int {
        copies(of: reservations.filter { $0.stands(on: day) })
    }

    private func copies(of reservations: [Reservation]) -> Int {
        reservations.reduce(0) { (try? $0.adding($1.quantity)) ?? .max }
    }

    /// The names of the customers for whom copies are put aside on a day.
    func customers(on day: CalendarDay) -> String {
        Set(reservations.filter { $0.stands(on: day) }.map(\.name)).sorted().joined(separator: ", ").printable
    }

    /// Returns the copies that can be sold to any customer on a day.
    func available(on day: CalendarDay) -> Int { max(0, quantity - reserved(on: day)) }

    /// `3 of 5 available.`
    func availability(on day: CalendarDay) -> String { "\(available(on: day)) of \(quantity) available." }
}
