/// One item of the store's stock, or several alike: the same pressing in the same condition at the same price.
struct Record: Hashable, Sendable {
    var sku: SKU
    var artist: String
    var title: String
    var label: String?
    var catalogueNumber: String?
    /// What it is, in the words of the trade: `LP, Album`.
    var format: String?
    var year: Int?
    var country: String?
    var barcode: Barcode?
    var mediaCondition: MediaCondition?
    var sleeveCondition: SleeveCondition?
    var price: Money
    var quantity: Int
    var status: Status = .forSale
    /// Where in the shop it stands: `A-12`.
    var location: String?
    var notes: String?
    var externalIDs = ExternalIDs()

    /// How many bytes of UTF-8 a text may have: so that a row of a file always has room for all of them.
    static let maximumTextSize = 65_536
    /// From the first recordings to some way ahead of now.
    static let years = 1860...2100
    /// The upper bound catches a barcode scanned into the wrong field.
    static let quantities = 0...1_000_000
}
