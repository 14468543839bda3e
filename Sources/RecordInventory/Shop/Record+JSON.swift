import RecordKitJSON

// A record in JSON: a member for each field, in their order, and one for the reservations.
extension Record {
    private static let reservationsName = "reservations"
    /// The members that are left out if they are missing: few records have them.
    private static let rareNames =
        [RecordField.discogsListing, .discogsRelease, .genre, .cost, .consignor].map(\.rawValue) + [reservationsName]

    /// The record as stored. Missing values are null, or left out.
    var json: JSONValue {
        .object(JSONObject(members.filter { $0.value != .null || !Self.rareNames.contains($0.name) }))
    }

    /// The record as printed: with null for each missing value, and the price's decimal text.
    var printedJSON: JSONValue {
        var object = JSONObject(members.filter { $0.value != .null || $0.name != Self.reservationsName })
        object["price"] = price.json.printed
        return .object(object)
    }

    /// All members, with null for each missing value.
    var members: [JSONObject.Member] {
        var members: [JSONObject.Member] = []
        // The currency is a part of the price.
        for (field, access) in zip(RecordField.all, RecordField.accesses) where field != .currency {
            members.append(JSONObject.Member(name: field.rawValue, value: access.json(self)))
        }
        let reservations = reservations.isEmpty ? JSONValue.null : .array(reservations.map(\.json))
        return members + [JSONObject.Member(name: Self.reservationsName, value: reservations)]
    }

    /// Reads what `json` returns. Ignores other members, such as `id` and `last_modified` of a server.
    init(_ object: JSONView) throws(JSONFault) {
        self = .blank
        for (field, access) in zip(RecordField.all, RecordField.accesses) {
            try access.read(&self, object, field.rawValue)
        }
        guard quantity >= 0 else { throw JSONFault.invalid("a quantity is never negative").within("quantity") }
        reservations = try object.optional(Self.reservationsName) ?? []
    }

    /// A record without values, to be filled field by field.
    static let blank = Record(
        sku: .none, artist: "", title: "", price: Money(amount: 0, currency: .none), quantity: 0)
}

extension Money: JSONContent {
    var json: JSONValue { ["amount": .integer(amount), "currency": .string(currency.code)] }

    init(json members: JSONView) throws(JSONFault) {
        amount = try members.value("amount")
        currency = try members.value("currency")
        guard amount >= 0 else { throw JSONFault.invalid("a price is never negative").within("amount") }
    }

    /// The names of its members.
    static let names = ["amount", "currency"]
}

extension JSONValue {
    /// The value as printed: with the decimal text beside each amount that has a currency, and times as text. It is
    /// never stored.
    var printed: JSONValue {
        switch self {
        case .array(let values): return .array(values.map(\.printed))
        case .object(let object):
            if object.members.count == 2, let time = try? MovementTime(json: JSONView(self)) {
                return .string(time.text)
            }
            var members = object.members.map { JSONObject.Member(name: $0.name, value: $0.value.printed) }
            if let amount = object["amount"]?.integer, let code = object["currency"]?.string,
                let currency = try? Currency(code)
            {
                let text = Money(amount: amount, currency: currency).decimalText
                members.append(JSONObject.Member(name: "decimal", value: .string(text)))
            }
            return .object(JSONObject(members))
        default: return self
        }
    }
}
