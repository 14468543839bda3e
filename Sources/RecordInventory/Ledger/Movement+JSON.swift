import RecordKitJSON

extension Movement {
    /// The movement as stored and printed, without its id and the version of the record. Leaves out missing values.
    var json: JSONValue {
        JSONValue.leavingOutNull([
            "sku": sku == .none ? .null : .string(sku.text), "kind": .string(kind.rawValue),
            "quantity": JSONValue(quantity),
            "price": price?.json ?? .null, "discount": JSONValue(discount), "payment": JSONValue(payment),
            "payments": payments.map { .array($0.map(\.json)) } ?? .null, "rounding": JSONValue(rounding),
            "cost": JSONValue(cost), "till": .string(till), "person": JSONValue(person), "reason": JSONValue(reason),
            "undoes": JSONValue(undoes), "reservation": reservation?.json ?? .null, "command": JSONValue(command),
            "import": isImport ? true : .null,
            "changes": changes?.json ?? .null, "artist": JSONValue(item?.artist), "title": JSONValue(item?.title),
            "genre": JSONValue(item?.genre), "format": JSONValue(item?.format), "consignor": JSONValue(item?.consignor),
        ]).adding(time.members)
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
        id = try object.value("id")
        do throws(JSONFault) {
            kind = try object.value("kind")
            sku =
                Self.kindsWithoutRecord.contains(kind)
                ? try object.optional("sku") ?? .none : try object.value("sku")
            quantity = try object.value("quantity")
            guard Self.quantities.contains(quantity) else { throw JSONFault.invalid("out of range").within("quantity") }
            price = try object.optional("price")
            discount = try object.optional("discount")
            payment = try object.optional("payment")
            payments = try object.optional("payments")
            rounding = try object.optional("rounding")
            cost = try object.optional("cost")
            time = try MovementTime(of: object)
            till = try object.optional("till") ?? ""
            person = try object.optional("person")
            reason = try object.optional("reason")
            undoes = try object.optional("undoes")
            after = try object.optional("after")
            reservation = try object.optional("reservation")
            command = try object.optional("command")
            isImport = object.last("import")?.bool == true
            item = try (object.optional("artist") as String?).map { artist throws(JSONFault) in
                Item(
                    artist: artist, title: try object.optional("title") ?? "", genre: try object.optional("genre"),
                    format: try object.optional("format"), consignor: try object.optional("consignor"))
            }
            changes = try object.last("changes").map { view throws(JSONFault) in try [Change](json: view) }
        } catch {
            throw UnreadableMovement(id: id, sku: try? object.value("sku"), reason: error.description)
        }
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
