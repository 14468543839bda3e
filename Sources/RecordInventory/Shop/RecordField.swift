/// The fields of a record by name, in the order of files and tables.
///
/// The same names serve the columns of a CSV file, the options of `add` and `edit`, `--where` and `--sort`. `price` is
/// the decimal amount, beside `currency`, and `cost` is another in the same currency.
enum RecordField: String, CaseIterable, Sendable {
    case sku, artist, title, label
    case catalogueNumber = "catalogue_number"
    case format, year, country, barcode
    case mediaCondition = "media_condition"
    case sleeveCondition = "sleeve_condition"
    case price, currency, quantity, status, location, notes
    case discogsListing = "discogs_listing"
    case discogsRelease = "discogs_release"
    case genre, cost, consignor

    enum Kind: Sendable {
        /// Free text, without white space around it. An empty string differs from a missing one.
        case text
        /// A whole number.
        case integer
        /// An amount in the currency of the record.
        case price
        /// A string of a certain form: a code, a grade, a barcode. An empty string is a missing value.
        case code
    }

    var kind: Kind { access.kind }

    /// Whether every record must have a value.
    var isRequired: Bool { access.isRequired }

    /// The fields without a default. The currency may have one.
    static let essential: [RecordField] = [.sku, .artist, .title, .price]

    /// The dotted path in the JSON, as in Kinto's filters. For `price` that is the amount in minor units.
    var jsonPath: String {
        switch self {
        case .price: "price.amount"
        case .currency: "price.currency"
        default: rawValue
        }
    }

    /// Finds the field of a name. Accepts `Media-Condition` and `media condition` too. The error suggests a similar
    /// name.
    ///
    /// - Parameter prefix: The string that stood before the name.
    init(named name: String, prefix: String = "") throws(UnknownName) {
        let plain = String(name.trimmed.lowercased().map { $0 == " " || $0 == "-" ? "_" : $0 })
        guard let field = RecordField(rawValue: plain) else {
            throw UnknownName("field", name, among: RecordField.allCases.map(\.rawValue), prefix: prefix)
        }
        self = field
    }

    /// Returns the values of all fields as strings, in order.
    static func texts(of record: Record) -> [String?] {
        accesses.map { $0.text(record) }
    }

    /// Returns the value as a string, which `RecordDraft.set` reads back, or `nil` if it is missing.
    func text(of record: Record) -> String? { access.text(record) }
}

/// A value that a field does not accept.
struct FieldError: Error, Equatable, CustomStringConvertible {
    let field: RecordField
    /// The value as typed, or `nil` if there was none.
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

/// Why a string is no barcode, price, SKU and so on, in words for people.
struct InvalidValue: Error, Equatable {
    let reason: String

    static let tooLarge = InvalidValue("too large an amount")

    init(_ reason: String) {
        self.reason = reason
    }
}
