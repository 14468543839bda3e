/// A record in the making: from the cells of a row, from flags, or from a record that is being changed.
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
    /// Decimal text: how many decimals it may have depends on the currency, which may be set later.
    var price: String?
    var currency: Currency?
    var quantity: Int?
    var status: Status?
    var location: String?
    var notes: String?
    var externalIDs = ExternalIDs()

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
    }

    /// The whole record. Without a quantity it is 1, or 0 when it is sold; without a status it is for sale; SKU, artist,
    /// title, price and currency have to be there.
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
        return Record(
            sku: sku, artist: artist, title: title, label: label, catalogueNumber: catalogueNumber, format: format,
            year: year, country: country, barcode: barcode, mediaCondition: mediaCondition,
            sleeveCondition: sleeveCondition, price: money, quantity: quantity ?? (status == .sold ? 0 : 1),
            status: status ?? .forSale, location: location, notes: notes, externalIDs: externalIDs)
    }
}
