/// A record in the making, from a row, from options or from an existing record.
struct RecordDraft: Sendable {
    /// The values so far. Those of `missing` fields stand for none.
    private(set) var values = Record.blank
    /// The required fields without a value.
    private var missing = Self.required
    /// The decimal strings of price and cost. The number of decimals depends on the currency, which may be set later.
    private var amounts: [RecordField: String] = [:]

    // An array: to hash the names of fields takes longer than to compare a few of them.
    private static let required = RecordField.all.filter(\.isRequired)

    init() {}

    init(_ record: Record) {
        values = record
        missing = []
        for field in [RecordField.price, .cost] { amounts[field] = field.text(of: record) }
    }

    /// Returns whether a required field has no value.
    func lacks(_ field: RecordField) -> Bool { missing.contains(field) }

    var sku: SKU? { missing.contains(.sku) ? nil : values.sku }
    var currency: Currency? { missing.contains(.currency) ? nil : values.price.currency }
    var quantity: Int? { missing.contains(.quantity) ? nil : values.quantity }
    var status: Status? { missing.contains(.status) ? nil : values.status }
    /// The decimal string.
    var price: String? { amounts[.price] }

    /// Returns the complete record. The default quantity is 1, or 0 if the record is sold. The default status is for
    /// sale. Requires SKU, artist, title, price and currency.
    ///
    /// - Parameter canLack: The required fields that may be missing, in a row that updates a record.
    func record(
        rounding: Money.Rounding = .refused, canLack: [RecordField] = []
    ) throws(FieldError) -> Record {
        for field in RecordField.essential where missing.contains(field) && !canLack.contains(field) {
            throw .missing(field)
        }
        if lacks(.currency), !canLack.contains(.currency), !amounts.isEmpty || !canLack.contains(.price) {
            throw .missing(.currency)
        }
        var record = values
        record.price.amount = try amount(.price, rounding) ?? 0
        record.cost = try amount(.cost, rounding)
        record.status = status ?? .forSale
        record.quantity = quantity ?? (status == .sold ? 0 : 1)
        return record
    }

    private func amount(_ field: RecordField, _ rounding: Money.Rounding) throws(FieldError) -> Int64? {
        guard let text = amounts[field], !lacks(.currency) else { return nil }
        do {
            let money = try Money(text, in: values.price.currency, rounding: rounding)
            try money.checkTyped()
            return money.amount
        } catch {
            throw FieldError(field: field, value: text, reason: error.reason)
        }
    }

    /// Sets a field from a string without the white space around it, or removes its value. An empty string is a value
    /// of free text, white space alone is none. Throws if a required field is empty.
    mutating func set(_ field: RecordField, to text: String?) throws(FieldError) {
        let access = field.access
        let trimmed = text?.trimmed
        let value = trimmed?.isEmpty == true && (access.kind != .text || text != "") ? nil : trimmed
        if text != nil, access.isRequired, value?.isEmpty ?? true { throw .missing(field) }
        if let value, value.utf8.contains(0) {
            throw FieldError(field: field, value: text, reason: "holds a character that is no text")
        }
        if let value, value.utf8.count > Record.maximumTextSize {
            throw FieldError(field: field, value: text, reason: "longer than 64 KiB")
        }
        do {
            try access.parse(&values, value)
        } catch {
            throw FieldError(field: field, value: text, reason: error.reason)
        }
        if access.kind == .price { amounts[field] = value }
        missing.removeAll { $0 == field }
        if access.isRequired, value == nil { missing.append(field) }
    }
}
