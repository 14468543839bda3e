/// How a record has the value of a field. Files, options, tables and JSON follow from it.
struct FieldAccess: Sendable {
    let kind: RecordField.Kind
    /// Whether every record must have a value.
    var isRequired = false
    /// Returns the value as a string, which `parse` reads back, or `nil` if it is missing.
    let text: @Sendable (Record) -> String?
    /// Sets the value from a string, or removes it. Not used for amounts: ``RecordDraft`` keeps them as strings.
    var parse: @Sendable (inout Record, String?) throws(InvalidValue) -> Void = { _, _ in }
    /// Returns the value as stored.
    var json: @Sendable (Record) -> JSONValue = { _ in .null }
    /// Sets the value from the member of a name.
    var read: @Sendable (inout Record, JSONObject, String) throws(JSONFault) -> Void = { _, _, _ in }
    /// Sets the value to the one of another record.
    let copy: @Sendable (inout Record, Record) -> Void
}

extension RecordField {
    var access: FieldAccess { Self.accesses[self] ?? newAccess }

    private static let accesses = Dictionary(uniqueKeysWithValues: allCases.map { ($0, $0.newAccess) })

    private var newAccess: FieldAccess {
        switch self {
        case .sku: .required(.code, \.sku)
        case .artist: .required(.text, \.artist)
        case .title: .required(.text, \.title)
        case .label: .optional(.text, \.label)
        case .catalogueNumber: .optional(.text, \.catalogueNumber)
        case .format: .optional(.text, \.format)
        case .year: .optional(.integer, \.year, in: Record.years)
        case .country: .optional(.text, \.country)
        case .barcode: .optional(.code, \.barcode)
        case .mediaCondition: .optional(.code, \.mediaCondition)
        case .sleeveCondition: .optional(.code, \.sleeveCondition)
        case .price: .price
        case .currency: .currency
        case .quantity: .required(.integer, \.quantity, in: Record.quantities)
        case .status: .required(.code, \.status)
        case .location: .optional(.text, \.location)
        case .notes: .optional(.text, \.notes)
        case .discogsListing: .optional(.integer, \.externalIDs.discogsListing, in: 1...Int.max)
        case .discogsRelease: .optional(.integer, \.externalIDs.discogsRelease, in: 1...Int.max)
        case .genre: .optional(.text, \.genre)
        case .cost: .cost
        case .consignor: .optional(.text, \.consignor)
        }
    }
}

extension FieldAccess {
    fileprivate typealias Path<Value> = any WritableKeyPath<Record, Value> & Sendable

    fileprivate static func required<Value: FieldContent>(
        _ kind: RecordField.Kind, _ path: Path<Value>,
        _ parse: @escaping @Sendable (String) throws(InvalidValue) -> Value = Self.parse
    ) -> FieldAccess {
        FieldAccess(
            kind: kind, isRequired: true, text: { $0[keyPath: path].text },
            parse: { record, text throws(InvalidValue) in
                if let text { record[keyPath: path] = try parse(text) }
            },
            json: { $0[keyPath: path].json },
            read: { record, object, name throws(JSONFault) in record[keyPath: path] = try object.value(name) },
            copy: { $0[keyPath: path] = $1[keyPath: path] })
    }

    fileprivate static func optional<Value: FieldContent>(
        _ kind: RecordField.Kind, _ path: Path<Value?>,
        _ parse: @escaping @Sendable (String) throws(InvalidValue) -> Value = Self.parse
    ) -> FieldAccess {
        FieldAccess(
            kind: kind, text: { $0[keyPath: path]?.text },
            parse: { record, text throws(InvalidValue) in
                record[keyPath: path] = if let text { try parse(text) } else { nil }
            },
            json: { $0[keyPath: path]?.json ?? .null },
            read: { record, object, name throws(JSONFault) in record[keyPath: path] = try object.optional(name) },
            copy: { $0[keyPath: path] = $1[keyPath: path] })
    }

    private static func parse<Value: FieldContent>(_ text: String) throws(InvalidValue) -> Value {
        try Value(typed: text)
    }

    fileprivate static func required(
        _ kind: RecordField.Kind, _ path: Path<Int>, in range: ClosedRange<Int>
    ) -> FieldAccess {
        required(kind, path) { text throws(InvalidValue) in try Int(typed: text, in: range) }
    }

    fileprivate static func optional(
        _ kind: RecordField.Kind, _ path: Path<Int?>, in range: ClosedRange<Int>
    ) -> FieldAccess {
        optional(kind, path) { text throws(InvalidValue) in try Int(typed: text, in: range) }
    }

    /// The amount of the price. In JSON it is one object with its currency.
    fileprivate static let price = FieldAccess(
        kind: .price, isRequired: true, text: { $0.price.decimalText }, json: { $0.price.json },
        read: { record, object, name throws(JSONFault) in record.price = try object.value(name) },
        copy: { $0.price = $1.price })

    fileprivate static let currency = FieldAccess(
        kind: .code, isRequired: true, text: { $0.price.currency.code },
        parse: { record, text throws(InvalidValue) in
            if let text { record.price.currency = try Currency(text) }
        },
        copy: { $0.price = $1.price })

    fileprivate static let cost = FieldAccess(
        kind: .price,
        text: { record in record.cost.map { Money(amount: $0, currency: record.price.currency).decimalText } },
        json: { JSONValue($0.cost) },
        read: { record, object, name throws(JSONFault) in
            record.cost = try object.optional(name)
            if record.cost ?? 0 < 0 { throw JSONFault.invalid("a cost is never negative").within(name) }
        },
        copy: { $0.cost = $1.cost })
}
