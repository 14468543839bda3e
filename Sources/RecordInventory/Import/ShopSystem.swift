/// A system of shops whose files are known by their headings.
enum ShopSystem: String, CaseIterable, Sendable {
    case shopify, square, woocommerce
    case discogsCollection = "discogs-collection"
    case discogsUpload = "discogs-upload"
    case bandcamp

    /// Finds the system whose headings a file has. They are in lower case.
    init?(headings: [String]) {
        let found = Self.allCases.first { $0.signature.allSatisfy(headings.contains) }
        guard let found, !headings.contains("listing_id") else { return nil }
        self = found
    }

    private var signature: [String] {
        switch self {
        case .shopify: ["handle", "title", "variant sku"]
        case .square: ["token", "item name", "variation name"]
        case .woocommerce: ["sku", "name", "regular price"]
        case .discogsCollection: ["catalog#", "collectionfolder", "release_id"]
        case .discogsUpload: ["release_id", "media_condition", "external_id"]
        case .bandcamp: ["paid to", "item type", "item name", "quantity"]
        }
    }

    /// The kind of file, for messages.
    var title: String {
        switch self {
        case .shopify: "Shopify's product export"
        case .square: "Square's item library"
        case .woocommerce: "WooCommerce's product export"
        case .discogsCollection: "Discogs' collection export"
        case .discogsUpload: "Discogs' inventory upload, which names no artists and titles"
        case .bandcamp: "Bandcamp's report of orders, whose quantities were sold and are not in stock"
        }
    }

    /// The names of the maps that come with the tool.
    static let mapNames = allCases.filter { $0.map != nil }.map(\.rawValue)

    /// The map that comes with the tool, or `nil` if the file has too little for one.
    var map: ColumnMap? {
        var map = ColumnMap()
        map.isTolerant = true
        func add(_ field: RecordField, _ headings: String...) {
            map.columns += headings.map { ColumnMap.Column(field: field, heading: $0) }
        }
        switch self {
        case .shopify:
            add(.sku, "Variant SKU")
            add(.artist, "Vendor")
            add(.title, "Title")
            add(.format, "Type")
            add(.barcode, "Variant Barcode")
            add(.mediaCondition, "Option1 Value")
            add(.price, "Variant Price")
            add(.quantity, "Variant Inventory Qty")
            add(.status, "Status")
            map.groupHeading = "Handle"
            map.titleForm = .afterArtist
        case .square:
            add(.sku, "SKU")
            add(.artist, "Description")
            add(.title, "Item Name")
            add(.barcode, "GTIN")
            add(.mediaCondition, "Variation Name")
            add(.price, "Price")
            add(.quantity, "Current Quantity *")
            map.titleForm = .artistAndTitle
        case .woocommerce:
            add(.sku, "SKU")
            add(.title, "Name")
            add(.barcode, "GTIN, UPC, EAN, or ISBN")
            add(.price, "Regular price")
            add(.quantity, "Stock", "In stock?")
            add(.status, "Published")
            map.parentHeading = "Type"
            map.titleForm = .artistAndTitle
        case .discogsCollection:
            add(.sku, "release_id")
            add(.artist, "Artist")
            add(.title, "Title")
            add(.label, "Label")
            add(.catalogueNumber, "Catalog#")
            add(.format, "Format")
            add(.year, "Released")
            add(.mediaCondition, "Collection Media Condition")
            add(.sleeveCondition, "Collection Sleeve Condition")
            add(.location, "CollectionFolder")
            add(.notes, "Collection Notes")
            add(.discogsRelease, "release_id")
            map.skuPrefix = "release-"
            map.defaults = [.price: "0", .status: Status.draft.rawValue]
        case .discogsUpload, .bandcamp: return nil
        }
        return map
    }

    /// The field that several rows of a product share, so that later rows leave it empty.
    static let sharedFields: Set<RecordField> = [.artist, .title, .label, .format, .status, .notes, .genre]
}
