extension Movement {
    /// The movement as stored and printed, without its id. Leaves out missing values.
    var json: JSONValue {
        var members: [JSONObject.Member] = []
        func add(_ name: String, _ value: JSONValue) {
            if value != .null { members.append(JSONObject.Member(name: name, value: value)) }
        }
        add("sku", .string(sku.text))
        add("kind", .string(kind.rawValue))
        add("quantity", JSONValue(quantity))
        add("price", price.map { ["amount": .integer($0.amount), "currency": .string($0.currency.code)] } ?? .null)
        add("discount", JSONValue(discount))
        add("payment", JSONValue(payment))
        add("cost", JSONValue(cost))
        // A number for filters, and a string for people.
        add("at", .integer(time.milliseconds))
        add("time", .string(time.text))
        add("offset", JSONValue(time.offset))
        add("till", .string(till))
        add("person", JSONValue(person))
        add("reason", JSONValue(reason))
        add("undoes", JSONValue(undoes))
        add("reservation", reservation?.json ?? .null)
        add("command", JSONValue(command))
        return .object(JSONObject(members))
    }
}

extension Movement: Decodable {
    private enum Name: String, CodingKey {
        case id, sku, kind, quantity, price, discount, payment, cost, at, offset, till, person, reason, undoes,
            reservation,
            command
    }

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Name.self)
        id = try members.decode(String.self, forKey: .id)
        sku = try members.decode(SKU.self, forKey: .sku)
        let kind = try members.decode(String.self, forKey: .kind)
        guard let kind = Kind(rawValue: kind) else {
            throw DecodingError.dataCorruptedError(
                forKey: .kind, in: members, debugDescription: "\"\(kind.shown)\" is no kind of movement")
        }
        self.kind = kind
        quantity = try members.decode(Int.self, forKey: .quantity)
        price = try members.decodeIfPresent(Money.self, forKey: .price)
        discount = try members.decodeIfPresent(Int64.self, forKey: .discount)
        payment = try members.decodeIfPresent(String.self, forKey: .payment)
        cost = try members.decodeIfPresent(Int64.self, forKey: .cost)
        time = MovementTime(
            milliseconds: try members.decode(Int64.self, forKey: .at),
            offset: try members.decodeIfPresent(Int.self, forKey: .offset) ?? 0)
        till = try members.decodeIfPresent(String.self, forKey: .till) ?? ""
        person = try members.decodeIfPresent(String.self, forKey: .person)
        reason = try members.decodeIfPresent(String.self, forKey: .reason)
        undoes = try members.decodeIfPresent(String.self, forKey: .undoes)
        reservation = try members.decodeIfPresent(Reservation.self, forKey: .reservation)
        command = try members.decodeIfPresent(String.self, forKey: .command)
    }
}
