import RecordKitJSON

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
        add("price", price?.json ?? .null)
        add("discount", JSONValue(discount))
        add("payment", JSONValue(payment))
        add("payments", payments.map { .array($0.map(\.json)) } ?? .null)
        add("rounding", JSONValue(rounding))
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

extension Movement: StoredItem {
    static let collection = Ledger.collection

    /// The collection also has objects that only take a version.
    static func isOther(_ error: UnreadableMovement) -> Bool {
        error.id == Ledger.anchorID || error.id.hasPrefix(Ledger.slotPrefix)
    }

    /// Reads what `json` returns, with its id.
    init(_ object: JSONView) throws {
        let id: String = try object.value("id")
        do throws(JSONFault) {
            try self.init(id: id, object)
        } catch {
            throw UnreadableMovement(id: id, sku: try? object.value("sku"), reason: error.description)
        }
    }

    private init(id: String, _ object: JSONView) throws(JSONFault) {
        self.id = id
        sku = try object.value("sku")
        kind = try object.value("kind")
        quantity = try object.value("quantity")
        price = try object.optional("price")
        discount = try object.optional("discount")
        payment = try object.optional("payment")
        payments = try object.optional("payments")
        rounding = try object.optional("rounding")
        cost = try object.optional("cost")
        time = MovementTime(milliseconds: try object.value("at"), offset: try object.optional("offset") ?? 0)
        till = try object.optional("till") ?? ""
        person = try object.optional("person")
        reason = try object.optional("reason")
        undoes = try object.optional("undoes")
        reservation = try object.optional("reservation")
        command = try object.optional("command")
    }
}

extension Movement.Payment: JSONReadable {
    fileprivate var json: JSONValue { ["kind": .string(kind), "amount": .integer(amount)] }

    init(json members: JSONView) throws(JSONFault) {
        kind = try members.value("kind")
        amount = try members.value("amount")
    }
}

extension Movement.Kind: JSONReadable {
    init(json: JSONView) throws(JSONFault) {
        let name = try String(json: json)
        guard let kind = Movement.Kind(rawValue: name) else {
            throw .invalid("\"\(name.shown)\" is no kind of movement")
        }
        self = kind
    }
}
