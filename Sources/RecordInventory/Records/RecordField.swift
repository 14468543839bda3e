/// The fields of a record as people name them, in the order in which files and tables show them.
///
/// One table for all: the columns of a CSV file, the flags of `add` and `edit`, and what `--where` and `--sort` take.
/// `price` is the decimal amount and `currency` stands beside it; the members of `external_ids` are fields of their
/// own.
enum RecordField: String, CaseIterable, Sendable {
    case sku, artist, title, label
    case catalogueNumber = "catalogue_number"
    case format, year, country, barcode
    case mediaCondition = "media_condition"
    case sleeveCondition = "sleeve_condition"
    case price, currency, quantity, status, location, notes
    case discogsListing = "discogs_listing"
    case discogsRelease = "discogs_release"

    enum Kind: Sendable {
        /// Any text, kept to the letter; empty text is not the same as none.
        case text
        /// A whole number.
        case integer
        /// An amount, in the currency of the record.
        case price
        /// Text of a certain form: a code, a grade, a barcode. Empty is the same as none.
        case code
    }

    var kind: Kind {
        switch self {
        case .artist, .title, .label, .catalogueNumber, .format, .country, .location, .notes: .text
        case .year, .quantity, .discogsListing, .discogsRelease: .integer
        case .price: .price
        case .sku, .barcode, .mediaCondition, .sleeveCondition, .currency, .status: .code
        }
    }

    /// Whether a record cannot be without it.
    var isRequired: Bool {
        switch self {
        case .sku, .artist, .title, .price, .currency, .quantity, .status: true
        default: false
        }
    }

    /// Where the value lies in the JSON, with dots as Kinto's filters have them. For `price` that is in minor units.
    var jsonPath: String {
        switch self {
        case .price: "price.amount"
        case .currency: "price.currency"
        case .discogsListing, .discogsRelease: "external_ids.\(rawValue)"
        default: rawValue
        }
    }

    /// The field of that name; `Media-Condition` and `media condition` are understood as well. The error names a near
    /// miss.
    ///
    /// - Parameter prefix: what stood before the name where it was typed.
    init(named name: String, prefix: String = "") throws(UnknownName) {
        let plain = String(name.trimmed.lowercased().map { $0 == " " || $0 == "-" ? "_" : $0 })
        guard let field = RecordField(rawValue: plain) else {
            throw UnknownName("field", name, among: RecordField.allCases.map(\.rawValue), prefix: prefix)
        }
        self = field
    }

    /// The values of all fields as text, in order.
    static func texts(of record: Record) -> [String?] {
        allCases.map { $0.text(of: record) }
    }

    /// The value as text, which `RecordDraft.set` reads back; nil when there is none.
    func text(of record: Record) -> String? {
        switch self {
        case .sku: record.sku.text
        case .artist: record.artist
        case .title: record.title
        case .label: record.label
        case .catalogueNumber: record.catalogueNumber
        case .format: record.format
        case .year: record.year.map { String($0) }
        case .country: record.country
        case .barcode: record.barcode?.ean13
        case .mediaCondition: record.mediaCondition?.rawValue
        case .sleeveCondition: record.sleeveCondition?.rawValue
        case .price: record.price.decimalText
        case .currency: record.price.currency.code
        case .quantity: String(record.quantity)
        case .status: record.status.rawValue
        case .location: record.location
        case .notes: record.notes
        case .discogsListing: record.externalIDs.discogsListing.map { String($0) }
        case .discogsRelease: record.externalIDs.discogsRelease.map { String($0) }
        }
    }
}

/// A value that a field cannot take.
struct FieldError: Error, Equatable, CustomStringConvertible {
    let field: RecordField
    /// As it was typed; nil when there was none.
    let value: String?
    let reason: String

    static func missing(_ field: RecordField) -> FieldError {
        FieldError(field: field, value: nil, reason: "missing")
    }

    /// `barcode "12345": 5 digits; a barcode has 8, 12 or 13`
    var description: String {
        guard let value, !value.isEmpty else { return "\(field.rawValue): \(reason)" }
        return "\(field.rawValue) \"\(value.shown)\": \(reason)"
    }
}

/// Why a text is no barcode, price, SKU … in words for the person who typed it.
struct InvalidValue: Error, Equatable {
    let reason: String

    init(_ reason: String) {
        self.reason = reason
    }
}
