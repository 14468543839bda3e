extension Record {
    /// The record as it is printed and stored: every field, in this order, those without a value as null.
    var json: JSONValue {
        [
            "sku": .string(sku.text),
            "artist": .string(artist),
            "title": .string(title),
            "label": JSONValue(label),
            "catalogue_number": JSONValue(catalogueNumber),
            "format": JSONValue(format),
            "year": JSONValue(year),
            "country": JSONValue(country),
            "barcode": JSONValue(barcode?.ean13),
            "media_condition": JSONValue(mediaCondition?.rawValue),
            "sleeve_condition": JSONValue(sleeveCondition?.rawValue),
            "price": ["amount": .integer(price.amount), "currency": .string(price.currency.code)],
            "quantity": JSONValue(quantity),
            "status": .string(status.rawValue),
            "location": JSONValue(location),
            "notes": JSONValue(notes),
            "external_ids": externalIDs.isEmpty
                ? .null
                : [
                    "discogs_listing": JSONValue(externalIDs.discogsListing),
                    "discogs_release": JSONValue(externalIDs.discogsRelease),
                ],
        ]
    }
}
