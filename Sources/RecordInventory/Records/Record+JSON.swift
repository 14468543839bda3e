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
