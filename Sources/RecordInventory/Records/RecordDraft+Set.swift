extension RecordDraft {
    /// Sets one field from its text, or takes its value away. Free text is kept to the letter, of other fields spaces
    /// at both ends are dropped. Empty text is an error where a record has to have a value.
    mutating func set(_ field: RecordField, to text: String?) throws(FieldError) {
        let code = field.kind == .text ? text : text.flatMap { $0.trimmed.isEmpty ? nil : $0.trimmed }
        if text != nil, field.isRequired, code?.trimmed.isEmpty ?? true { throw .missing(field) }
        if let code, code.utf8.contains(0) {
            throw FieldError(field: field, value: text, reason: "holds a character that is no text")
        }
        if let code, code.utf8.count > Record.maximumTextSize {
            throw FieldError(field: field, value: text, reason: "longer than 64 KiB")
        }
        do throws(InvalidValue) {
            switch field {
            case .sku: sku = if let code { try SKU(code) } else { nil }
            case .artist: artist = code
            case .title: title = code
            case .label: label = code
            case .catalogueNumber: catalogueNumber = code
            case .format: format = code
            case .year: year = try Self.integer(code, in: Record.years)
            case .country: country = code
            case .barcode: barcode = if let code { try Barcode(code) } else { nil }
            case .mediaCondition: mediaCondition = if let code { try MediaCondition(code) } else { nil }
            case .sleeveCondition: sleeveCondition = if let code { try SleeveCondition(code) } else { nil }
            case .price: price = code
            case .currency: currency = if let code { try Currency(code) } else { nil }
            case .quantity: quantity = try Self.integer(code, in: Record.quantities)
            case .status: status = if let code { try Status(code) } else { nil }
            case .location: location = code
            case .notes: notes = code
            case .discogsListing: externalIDs.discogsListing = try Self.integer(code, in: 1...Int.max)
            case .discogsRelease: externalIDs.discogsRelease = try Self.integer(code, in: 1...Int.max)
            }
        } catch {
            throw FieldError(field: field, value: text, reason: error.reason)
        }
    }

    /// A whole number written in plain digits, perhaps with a sign.
    private static func integer(_ text: String?, in range: ClosedRange<Int>) throws(InvalidValue) -> Int? {
        guard let text = text?.trimmed else { return nil }
        let digits = text.utf8.first == UInt8(ascii: "-") ? text.utf8.dropFirst() : text.utf8[...]
        guard !digits.isEmpty, digits.allSatisfy(\.isDigit) else {
            throw InvalidValue("not a whole number")
        }
        guard let number = Int(text), range.contains(number) else {
            if range.lowerBound == 0, text.hasPrefix("-") { throw InvalidValue("never negative") }
            let low = range.lowerBound
            let high = range.upperBound
            throw InvalidValue("out of range; allowed is \(low) \(high == Int.max ? "or more" : "to \(high)")")
        }
        return number
    }
}
