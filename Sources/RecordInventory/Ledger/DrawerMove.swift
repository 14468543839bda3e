/// Cash that is put into the drawer of a till, or taken out of it, without a sale. Exactly one close names it.
struct DrawerMove: Sendable, Equatable {
    enum Kind: String, Codable, Sendable {
        case `in`, out
    }

    let id: String
    let till: String
    let kind: Kind
    let amount: Money
    let reason: String
    var time: MovementTime
    var person: String?

    /// Whether the cash is put in. Otherwise it is taken out.
    var isIn: Bool { kind == .in }

    /// The collection of the moves, beside `records`.
    static let collection = "drawer"
}

extension DrawerMove: TillObject {
    /// A command may be typed again, later and by another person.
    func isSame(as other: DrawerMove) -> Bool {
        till == other.till && kind == other.kind && amount == other.amount && reason == other.reason
    }
}
