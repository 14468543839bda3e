import RecordKitJSON

/// Cash that is put into the drawer of a till, or taken out of it, without a sale. Exactly one close names it.
struct DrawerMove: Sendable, Equatable {
    let id: String
    let till: String
    /// Whether the cash is put in. Otherwise it is taken out.
    let isIn: Bool
    let amount: Money
    let reason: String
    var time: MovementTime
    var person: String?

    /// The collection of the moves, beside `records`.
    static let collection = "drawer"
}

extension DrawerMove: TillObject {
    /// A command may be typed again, later and by another person.
    func isSame(as other: DrawerMove) -> Bool {
        till == other.till && isIn == other.isIn && amount == other.amount && reason == other.reason
    }

    var json: JSONValue {
        let move: JSONValue = [
            "till": .string(till), "kind": .string(isIn ? "in" : "out"), "amount": amount.json,
            "reason": .string(reason), "person": JSONValue(person),
        ]
        return move.adding(time.members)
    }

    init(json object: JSONView) throws(JSONFault) {
        id = try object.value("id")
        till = try object.value("till")
        let kind: String = try object.value("kind")
        guard ["in", "out"].contains(kind) else { throw JSONFault.invalid("neither in nor out").within("kind") }
        isIn = kind == "in"
        amount = try object.value("amount")
        reason = try object.value("reason")
        time = try MovementTime(of: object)
        person = try object.optional("person")
    }
}
