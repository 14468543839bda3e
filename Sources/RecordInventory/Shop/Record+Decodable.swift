/// Decodes what `json` encodes. Ignores other members, such as `id` and `last_modified` of a server.
extension Record: Decodable {
    private enum Name: String, CodingKey {
        case sku, artist, title, label, format, year, country, barcode, price, quantity, status, location, notes
        case genre, cost, consignor, reservations
        case catalogueNumber = "catalogue_number"
        case mediaCondition = "media_condition"
        case sleeveCondition = "sleeve_condition"
        case externalIDs = "external_ids"
    }

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Name.self)
        sku = try members.decode(SKU.self, forKey: .sku)
        artist = try members.decode(String.self, forKey: .artist)
        title = try members.decode(String.self, forKey: .title)
        label = try members.decodeIfPresent(String.self, forKey: .label)
        catalogueNumber = try members.decodeIfPresent(String.self, forKey: .catalogueNumber)
        format = try members.decodeIfPresent(String.self, forKey: .format)
        year = try members.decodeIfPresent(Int.self, forKey: .year)
        country = try members.decodeIfPresent(String.self, forKey: .country)
        barcode = try members.decodeIfPresent(Barcode.self, forKey: .barcode)
        mediaCondition = try members.decodeIfPresent(MediaCondition.self, forKey: .mediaCondition)
        sleeveCondition = try members.decodeIfPresent(SleeveCondition.self, forKey: .sleeveCondition)
        price = try members.decode(Money.self, forKey: .price)
        quantity = try members.decode(Int.self, forKey: .quantity)
        guard quantity >= 0 else {
            throw DecodingError.dataCorruptedError(
                forKey: .quantity, in: members, debugDescription: "a quantity is never negative")
        }
        status = try members.decode(Status.self, forKey: .status)
        location = try members.decodeIfPresent(String.self, forKey: .location)
        notes = try members.decodeIfPresent(String.self, forKey: .notes)
        externalIDs = try members.decodeIfPresent(ExternalIDs.self, forKey: .externalIDs) ?? ExternalIDs()
        genre = try members.decodeIfPresent(String.self, forKey: .genre)
        cost = try members.decodeIfPresent(Int64.self, forKey: .cost)
        guard cost ?? 0 >= 0 else {
            throw DecodingError.dataCorruptedError(
                forKey: .cost, in: members, debugDescription: "a cost is never negative")
        }
        consignor = try members.decodeIfPresent(String.self, forKey: .consignor)
        reservations = try members.decodeIfPresent([Reservation].self, forKey: .reservations) ?? []
    }
}

extension Money: Decodable {
    enum Name: String, CodingKey { case amount, currency }

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Name.self)
        amount = try members.decode(Int64.self, forKey: .amount)
        currency = try members.decode(Currency.self, forKey: .currency)
        guard amount >= 0 else {
            throw DecodingError.dataCorruptedError(
                forKey: .amount, in: members, debugDescription: "a price is never negative")
        }
    }
}

extension SKU: Decodable {
    init(from decoder: any Decoder) throws {
        self = try decoder.value { text throws(InvalidValue) in try SKU(text) }
    }
}

extension Barcode: Decodable {
    init(from decoder: any Decoder) throws {
        self = try decoder.value { text throws(InvalidValue) in try Barcode(text) }
    }
}

extension Currency: Decodable {
    init(from decoder: any Decoder) throws {
        self = try decoder.value { text throws(InvalidValue) in try Currency(text) }
    }
}

extension Status: Decodable {
    init(from decoder: any Decoder) throws {
        self = try decoder.choice { text throws(InvalidValue) in try Status(text) }
    }
}

extension MediaCondition: Decodable {
    init(from decoder: any Decoder) throws {
        self = try decoder.choice { text throws(InvalidValue) in try MediaCondition(text) }
    }
}

extension SleeveCondition: Decodable {
    init(from decoder: any Decoder) throws {
        self = try decoder.choice { text throws(InvalidValue) in try SleeveCondition(text) }
    }
}

extension Decoder {
    /// Decodes a value with several names, of which only one is stored, since filters look for that.
    fileprivate func choice<Choice: RawRepresentable<String>>(
        _ read: (String) throws(InvalidValue) -> Choice
    ) throws -> Choice {
        try value { text throws(InvalidValue) in
            if let choice = Choice(rawValue: text) { return choice }
            throw InvalidValue("it is stored as \(try read(text).rawValue)")
        }
    }

    /// Decodes a string with `read`, whose error becomes the reason of the decoding error.
    fileprivate func value<Value>(_ read: (String) throws(InvalidValue) -> Value) throws -> Value {
        let container = try singleValueContainer()
        let text = try container.decode(String.self)
        do {
            return try read(text)
        } catch {
            throw DecodingError.dataCorrupted(
                .init(codingPath: codingPath, debugDescription: "\"\(text.shown)\": \(error.reason)"))
        }
    }
}
