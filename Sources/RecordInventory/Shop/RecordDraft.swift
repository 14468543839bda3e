/// A record in the making, from a row, from options or from an existing record.
struct RecordDraft: Sendable {
    var sku: SKU?
    var artist: String?
    var title: String?
    var label: String?
    var catalogueNumber: String?
    var format: String?
    var year: Int?
    var country: String?
    var barcode: Barcode?
    var mediaCondition: MediaCondition?
    var sleeveCondition: SleeveCondition?
    /// The decimal string. The number of decimals depends on the currency, which may be set later.
    var price: String?
    var currency: Currency?
    var quantity: Int?
    var status: Status?
    var location: String?
    var notes: String?
    var externalIDs = ExternalIDs()
    var genre: String?
    /// The decimal string, in the currency of the price.
    var cost: String?
    var consignor: String?
    private var reservations: [Reservation] = []

    init() {}

    init(_ record: Record) {
        sku = record.sku
        artist = record.artist
        title = record.title
        label = record.label
        catalogueNumber = record.catalogueNumber
        format = record.format
        year = record.year
        country = record.country
        barcode = record.barcode
        mediaCondition = record.mediaCondition
        sleeveCondition = record.sleeveCondition
        price = record.price.decimalText
        currency = record.price.currency
        quantity = record.quantity
        status = record.status
        location = record.location
        notes = record.notes
        externalIDs = record.externalIDs
        genre = record.genre
        cost = RecordField.cost.text(of: record)
        consignor = record.consignor
        reservations = record.reservations
    }

    /// Returns the complete record. The default quantity is 1, or 0 if the record is sold. The default status is for
    /// sale. Requires SKU, artist, title, price and currency.
    func record(rounding: Money.Rounding = .refused) throws(FieldError) -> Record {
        guard let sku else { throw .missing(.sku) }
        guard let artist else { throw .missing(.artist) }
        guard let title else { throw .missing(.title) }
        guard let price else { throw .missing(.price) }
        guard let currency else { throw .missing(.currency) }
        let money: Money
        do {
            money = try Money(price, in: currency, rounding: rounding)
        } catch {
            throw FieldError(field: .price, value: price, reason: error.reason)
        }
        let amount: Int64?
        do {
            amount = if let cost { try Money(cost, in: currency, rounding: rounding).amount } else { nil }
        } catch {
            throw FieldError(field: .cost, value: cost, reason: error.reason)
        }
        return Record(
            sku: sku, artist: artist, title: title, label: label, catalogueNumber: catalogueNumber, format: format,
            year: year, country: country, barcode: barcode, mediaCondition: mediaCondition,
            sleeveCondition: sleeveCondition, price: money, quantity: quantity ?? (status == .sold ? 0 : 1),
            status: status ?? .forSale, location: location, notes: notes, externalIDs: externalIDs,
            genre: genre, cost: amount, consignor: consignor, reservations: reservations)
    }
}

extension RecordDraft {
    /// Sets a field from a string, or removes its value. Keeps free text exactly, and trims other fields. Throws if a
    /// required field is empty.
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
            case .genre: genre = code
            case .cost: cost = code
            case .consignor: consignor = code
            }
        } catch {
            throw FieldError(field: field, value: text, reason: error.reason)
        }
    }

    /// Parses a whole number of plain digits, perhaps with a sign.
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
