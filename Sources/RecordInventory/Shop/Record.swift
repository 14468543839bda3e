/// An item of the stock, or several alike: the same pressing in the same condition at the same price.
struct Record: Hashable, Sendable {
    var sku: SKU
    var artist: String
    var title: String
    var label: String?
    var catalogueNumber: String?
    /// The format in terms of the trade: `LP, Album`.
    var format: String?
    var year: Int?
    var country: String?
    var barcode: Barcode?
    var mediaCondition: MediaCondition?
    var sleeveCondition: SleeveCondition?
    var price: Money
    var quantity: Int
    var status: Status = .forSale
    /// The place in the shop: `A-12`.
    var location: String?
    var notes: String?
    var externalIDs = ExternalIDs()
    var genre: String?
    /// What one copy cost the shop, in the minor units of the price's currency.
    var cost: Int64?
    /// The owner of a record that is sold on commission.
    var consignor: String?
    /// The copies that are put aside for customers. Changed by movements alone.
    var reservations: [Reservation] = []

    /// The maximum number of UTF-8 bytes in a string, so that a row of a file has room for all fields.
    static let maximumTextSize = 65_536
    /// From the first recordings to well after today.
    static let years = 1860...2100
    /// The upper bound catches a barcode scanned into the wrong field.
    static let quantities = 0...1_000_000
}

/// The numbers of a record at other services.
struct ExternalIDs: Hashable, Sendable, Decodable {
    var discogsListing: Int?
    var discogsRelease: Int?

    var isEmpty: Bool { discogsListing == nil && discogsRelease == nil }

    enum CodingKeys: String, CodingKey {
        case discogsListing = "discogs_listing"
        case discogsRelease = "discogs_release"
    }
}

/// The status of a record in the shop.
enum Status: String, CaseIterable, Sendable {
    case draft
    case forSale = "for_sale"
    case sold

    /// Parses `for_sale` and `For Sale` alike.
    init(_ text: String) throws(InvalidValue) {
        let name = text.trimmed.lowercased().replacing(" ", with: "_")
        guard let status = Status(rawValue: name) else {
            throw InvalidValue("not a status; use one of \(Self.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        self = status
    }
}

extension Record {
    /// Returns the record with some fields of another. A price brings its currency, and removes a cost in another one. A
    /// quantity without a status brings the matching status. A sold record has no copies.
    func taking(_ fields: Set<RecordField>, from other: Record) -> Record {
        var record = self
        for field in fields {
            switch field {
            case .sku: record.sku = other.sku
            case .artist: record.artist = other.artist
            case .title: record.title = other.title
            case .label: record.label = other.label
            case .catalogueNumber: record.catalogueNumber = other.catalogueNumber
            case .format: record.format = other.format
            case .year: record.year = other.year
            case .country: record.country = other.country
            case .barcode: record.barcode = other.barcode
            case .mediaCondition: record.mediaCondition = other.mediaCondition
            case .sleeveCondition: record.sleeveCondition = other.sleeveCondition
            case .price, .currency: record.price = other.price
            case .quantity: record.quantity = other.quantity
            case .status: record.status = other.status
            case .location: record.location = other.location
            case .notes: record.notes = other.notes
            case .discogsListing: record.externalIDs.discogsListing = other.externalIDs.discogsListing
            case .discogsRelease: record.externalIDs.discogsRelease = other.externalIDs.discogsRelease
            case .genre: record.genre = other.genre
            case .cost: record.cost = other.cost
            case .consignor: record.consignor = other.consignor
            }
        }
        if record.price.currency != price.currency, !fields.contains(.cost) { record.cost = nil }
        if !fields.contains(.status) {
            record.adaptStatus(after: quantity)
        } else if record.status == .sold {
            record.quantity = 0
        }
        return record
    }

    /// Changes the status with the quantity: a record for sale becomes sold with its last copy, and for sale again with
    /// the next one.
    ///
    /// - Parameter old: The quantity before.
    mutating func adaptStatus(after old: Int) {
        switch status {
        case .forSale where quantity == 0 && old > 0: status = .sold
        case .sold where quantity > old: status = .forSale
        default: break
        }
    }
}

extension Record {
    /// The record as stored: all fields, in this order. Missing values are null. Genre, cost, consignor and
    /// reservations are left out if they are missing: few records have them.
    var json: JSONValue {
        let later: [(String, JSONValue)] = [
            ("genre", JSONValue(genre)), ("cost", JSONValue(cost)), ("consignor", JSONValue(consignor)),
            ("reservations", reservations.isEmpty ? .null : .array(reservations.map(\.json))),
        ]
        return common.adding(later.filter { $1 != .null }.map { JSONObject.Member(name: $0, value: $1) })
    }

    /// The record as printed: `json` with null for a missing genre, cost or consignor.
    var printedJSON: JSONValue {
        let later: [(String, JSONValue)] = [
            ("genre", JSONValue(genre)), ("cost", JSONValue(cost)), ("consignor", JSONValue(consignor)),
        ]
        let reservations = json.object?.members.filter { $0.name == "reservations" } ?? []
        return common.adding(later.map { JSONObject.Member(name: $0, value: $1) } + reservations)
    }

    private var common: JSONValue {
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
