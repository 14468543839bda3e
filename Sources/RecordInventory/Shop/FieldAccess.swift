import RecordKitJSON

/// Reads and writes the value of a field of a record, for files, options, tables and JSON.
///
/// A class: copying five closures for each value of a file would be slow.
final class FieldAccess: Sendable {
    let kind: RecordField.Kind
    /// Whether every record must have a value.
    let isRequired: Bool
    /// Returns the value as a string, which `parse` reads back, or `nil` if it is missing.
    let text: @Sendable (Record) -> String?
    /// Sets the value from a string, or removes it. Not used for amounts: ``RecordDraft`` keeps them as strings.
    let parse: @Sendable (inout Record, String?) throws(InvalidValue) -> Void
    /// Returns the value as stored.
    let json: @Sendable (Record) -> JSONValue
    /// Sets the value from the member of a name.
    let read: @Sendable (inout Record, JSONView, String) throws(JSONFault) -> Void
    /// Sets the value to the one of another record.
    let copy: @Sendable (inout Record, Record) -> Void

    init(
        _ kind: RecordField.Kind, isRequired: Bool = false, text: @escaping @Sendable (Record) -> String?,
        parse: @escaping @Sendable (inout Record, String?) throws(InvalidValue) -> Void = { _, _ in },
        json: @escaping @Sendable (Record) -> JSONValue = { _ in .null },
        read: @escaping @Sendable (inout Record, JSONView, String) throws(JSONFault) -> Void = { _, _, _ in },
        copy: @escaping @Sendable (inout Record, Record) -> Void
    ) {
        self.kind = kind
        self.isRequired = isRequired
        self.text = text
        self.parse = parse
        self.json = json
        self.read = read
        self.copy = copy
    }
}

extension RecordField {
    var access: FieldAccess {
        // A dictionary would hash the names, which takes several times as long.
        Self.all.firstIndex(of: self).map { Self.accesses[$0] } ?? newAccess
    }

    /// All fields, since `allCases` returns a new array each time.
    static let all = allCases
    /// The access to each field of `all`.
    static let accesses = all.map(\.newAccess)

    private var newAccess: FieldAccess {
        switch self {
        case .sku: .required(.code, { $0.sku }, { $0.sku = $1 })
        case .artist: .required(.text, { $0.artist }, { $0.artist = $1 })
        case .title: .required(.text, { $0.title }, { $0.title = $1 })
        case .label: .optional(.text, { $0.label }, { $0.label = $1 })
        case .catalogueNumber: .optional(.text, { $0.catalogueNumber }, { $0.catalogueNumber = $1 })
        case .format: .optional(.text, { $0.format }, { $0.format = $1 })
        case .year: .optional(.integer, { $0.year }, { $0.year = $1 }, number(in: Record.years))
        case .country: .optional(.text, { $0.country }, { $0.country = $1 })
        case .barcode: .optional(.code, { $0.barcode }, { $0.barcode = $1 })
        case .mediaCondition: .optional(.code, { $0.mediaCondition }, { $0.mediaCondition = $1 })
        case .sleeveCondition: .optional(.code, { $0.sleeveCondition }, { $0.sleeveCondition = $1 })
        case .price: .price
        case .currency: .currency
        case .quantity: .required(.integer, { $0.quantity }, { $0.quantity = $1 }, number(in: Record.quantities))
        case .status: .required(.code, { $0.status }, { $0.status = $1 })
        case .location: .optional(.text, { $0.location }, { $0.location = $1 })
        case .notes: .optional(.text, { $0.notes }, { $0.notes = $1 })
        case .discogsListing:
            .optional(
                .integer, { $0.discogsListing }, { $0.discogsListing = $1 },
                number(in: 1...Int.max))
        case .discogsRelease:
            .optional(
                .integer, { $0.discogsRelease }, { $0.discogsRelease = $1 },
                number(in: 1...Int.max))
        case .genre: .optional(.text, { $0.genre }, { $0.genre = $1 })
        case .cost: .cost
        case .consignor: .optional(.text, { $0.consignor }, { $0.consignor = $1 }, { $0.personName })
        }
    }

    private func number(in range: ClosedRange<Int>) -> FieldAccess.Parse<Int> {
        { text throws(InvalidValue) in try Int(typed: text, in: range) }
    }
}

extension FieldAccess {
    fileprivate typealias Get<Value> = @Sendable (Record) -> Value
    fileprivate typealias Set<Value> = @Sendable (inout Record, Value) -> Void
    fileprivate typealias Parse<Value> = @Sendable (String) throws(InvalidValue) -> Value

    fileprivate static func required<Value: FieldContent>(
        _ kind: RecordField.Kind, _ get: @escaping Get<Value>, _ set: @escaping Set<Value>,
        _ parse: @escaping Parse<Value> = { text throws(InvalidValue) in try Value(typed: text) }
    ) -> FieldAccess {
        FieldAccess(
            kind, isRequired: true, text: { get($0).text },
            parse: { record, text throws(InvalidValue) in if let text { set(&record, try parse(text)) } },
            json: { get($0).json },
            read: { record, object, name throws(JSONFault) in set(&record, try object.value(name)) },
            copy: { set(&$0, get($1)) })
    }

    fileprivate static func optional<Value: FieldContent>(
        _ kind: RecordField.Kind, _ get: @escaping Get<Value?>, _ set: @escaping Set<Value?>,
        _ parse: @escaping Parse<Value> = { text throws(InvalidValue) in try Value(typed: text) }
    ) -> FieldAccess {
        FieldAccess(
            kind, text: { get($0)?.text },
            parse: { record, text throws(InvalidValue) in
                let value: Value? = if let text { try parse(text) } else { nil }
                set(&record, value)
            },
            json: { get($0)?.json ?? .null },
            read: { record, object, name throws(JSONFault) in set(&record, try object.optional(name)) },
            copy: { set(&$0, get($1)) })
    }

    /// The amount of the price. In JSON it is one object with its currency.
    fileprivate static let price = FieldAccess(
        .price, isRequired: true, text: { $0.price.decimalText }, json: { $0.price.json },
        read: { record, object, name throws(JSONFault) in record.price = try object.value(name) },
        copy: { $0.price = $1.price })

    fileprivate static let currency = FieldAccess(
        .code, isRequired: true, text: { $0.price.currency.code },
        parse: { record, text throws(InvalidValue) in
            if let text { record.price.currency = try Currency(text) }
        },
        copy: { $0.price = $1.price })

    fileprivate static let cost = FieldAccess(
        .price,
        text: { record in record.cost.map { Money(amount: $0, currency: record.price.currency).decimalText } },
        json: { JSONValue($0.cost) },
        read: { record, object, name throws(JSONFault) in
            record.cost = try object.optional(name)
            if record.cost ?? 0 < 0 { throw JSONFault.invalid("a cost is never negative").within(name) }
        },
        copy: { $0.cost = $1.cost })
}
