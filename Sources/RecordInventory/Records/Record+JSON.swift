import Foundation

extension Record {
    /// The record as it is printed and stored: every field, in this order, those without a value as null.
    var json: OrderedJSON {
        [
            "sku": .string(sku.text),
            "artist": .string(artist),
            "title": .string(title),
            "label": OrderedJSON(label),
            "catalogue_number": OrderedJSON(catalogueNumber),
            "format": OrderedJSON(format),
            "year": OrderedJSON(year),
            "country": OrderedJSON(country),
            "barcode": OrderedJSON(barcode?.ean13),
            "media_condition": OrderedJSON(mediaCondition?.rawValue),
            "sleeve_condition": OrderedJSON(sleeveCondition?.rawValue),
            "price": ["amount": .integer(price.amount), "currency": .string(price.currency.code)],
            "quantity": OrderedJSON(quantity),
            "status": .string(status.rawValue),
            "location": OrderedJSON(location),
            "notes": OrderedJSON(notes),
            "external_ids": externalIDs.isEmpty
                ? .null
                : [
                    "discogs_listing": OrderedJSON(externalIDs.discogsListing),
                    "discogs_release": OrderedJSON(externalIDs.discogsRelease),
                ],
        ]
    }
}

extension Record: Encodable {
    func encode(to encoder: any Encoder) throws {
        try json.encode(to: encoder)
    }
}

extension OrderedJSON: Encodable {
    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    func encode(to encoder: any Encoder) throws {
        switch self {
        case .object(let members):
            var container = encoder.container(keyedBy: Name.self)
            for member in members {
                try container.encode(member.value, forKey: Name(stringValue: member.name))
            }
        case .array(let values):
            var container = encoder.unkeyedContainer()
            for value in values { try container.encode(value) }
        case .null:
            var container = encoder.singleValueContainer()
            try container.encodeNil()
        case .bool(let value): try value.encode(to: encoder)
        case .integer(let value): try value.encode(to: encoder)
        case .string(let value): try value.encode(to: encoder)
        }
    }
}
