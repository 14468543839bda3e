/// Copies of a record that are put aside for a customer.
struct Reservation: Hashable, Sendable {
    /// The id of the movement that made it.
    var id: String
    var name: String
    var quantity: Int
    /// The last day, or `nil` for no end. Later the copies are available again.
    var until: CalendarDay?

    /// `for Ada until 2026-12-24`
    var text: String { "for \(name)" + (until.map { " until \($0)" } ?? "") }

    var json: JSONValue {
        [
            "id": .string(id), "name": .string(name), "quantity": JSONValue(quantity),
            "until": JSONValue(until?.description),
        ]
    }
}

extension Reservation: Decodable {
    private enum Name: String, CodingKey {
        case id, name, quantity, until
    }

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Name.self)
        id = try members.decode(String.self, forKey: .id)
        name = try members.decode(String.self, forKey: .name)
        quantity = try members.decode(Int.self, forKey: .quantity)
        guard Record.quantities.contains(quantity) else {
            throw DecodingError.dataCorruptedError(
                forKey: .quantity, in: members, debugDescription: "out of range")
        }
        guard let text = try members.decodeIfPresent(String.self, forKey: .until) else { return }
        guard let day = try? CalendarDay(text) else {
            throw DecodingError.dataCorruptedError(forKey: .until, in: members, debugDescription: "no date")
        }
        until = day
    }
}

extension Reservation {
    func stands(on day: CalendarDay) -> Bool { until.map { $0 >= day } ?? true }
}

extension Record {
    /// Returns the copies that are put aside on a day.
    func reserved(on day: CalendarDay) -> Int {
        reservations.filter { $0.stands(on: day) }.reduce(0) { sum, reservation in
            let (total, overflow) = sum.addingReportingOverflow(reservation.quantity)
            return overflow ? .max : total
        }
    }

    /// Returns the copies that can be sold to any customer on a day.
    func available(on day: CalendarDay) -> Int { max(0, quantity - reserved(on: day)) }
}
