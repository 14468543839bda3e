/// A system of shops whose files are known by their headings.
enum ShopSystem: String, CaseIterable, Sendable {
    case shopify, square, woocommerce
    case discogsCollection = "discogs-collection"
    case discogsUpload = "discogs-upload"
    case bandcamp

    /// Finds the system whose headings a file has. They are in lower case.
    init?(headings: [String]) {
        let found = Self.allCases.first { $0.signatures.contains { $0.allSatisfy(headings.contains) } }
        guard let found, !headings.contains("listing_id") else { return nil }
        self = found
    }

    private var signatures: [[String]] {
        switch self {
        case .shopify: [["handle", "title", "variant sku"], ["url handle", "title", "sku"]]
        case .square: [["token", "item name", "variation name"]]
        case .woocommerce:
            [
                ["sku", "name", "regular price"], ["artikelnummer", "name", "regulärer preis"],
                ["ugs", "nom", "tarif régulier"], ["sku", "nombre", "precio normal"],
            ]
        case .discogsCollection: [["catalog#", "collectionfolder", "release_id"]]
        case .discogsUpload: [["release_id", "media_condition", "external_id"]]
        case .bandcamp: [["paid to", "item type", "item name", "quantity"]]
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
    static let mapNames = allCases.filter { $0.columns != nil }.map(\.rawValue)

    /// The map that comes with the tool, or `nil` if the file has too little for one.
    var map: ColumnMap? {
        guard let columns, var map = try? ColumnMap(columns, named: { _ in ColumnMap() }) else { return nil }
        map.isTolerant = true
        if self == .discogsCollection {
            map.skuPrefix = "release-"
            map.defaults = [.price: "0", .status: Status.draft.rawValue]
        }
        return map
    }

    /// The columns of the map, as `--map` takes them.
    private var columns: String? {
        switch self {
        case .shopify:
            """
            sku:Variant SKU, sku:SKU, artist:Vendor, title:Title, format:Type, barcode:Variant Barcode, barcode:Barcode,
            status:Status, media_condition:Option1 Value, price:Variant Price, price:Price, cost:Cost per item,
            quantity:Variant Inventory Qty, quantity:Inventory quantity
            """
        case .square:
            """
            sku:SKU, artist:Item Name, artist:Description, title:Item Name, barcode:GTIN, price:Price,
            media_condition:Variation Name, cost:Default Unit Cost, quantity:Current Quantity *
            """
        // The headings are translated: English, German, French and Spanish.
        case .woocommerce:
            """
            sku:SKU, sku:Artikelnummer, sku:UGS, artist:Name, artist:Nom, artist:Nombre, title:Name, title:Nom,
            title:Nombre, barcode:"GTIN, UPC, EAN, or ISBN", barcode:"GTIN, UPC, EAN oder ISBN",
            barcode:"GTIN, UPC, EAN ou ISBN", barcode:"GTIN, UPC, EAN o ISBN", price:Regular price,
            price:Regulärer Preis, price:Tarif régulier, price:Precio normal, status:Published, status:Veröffentlicht,
            status:Publié, status:Publicado, quantity:Stock, quantity:Bestand, quantity:Lager, quantity:Lagerbestand,
            quantity:Inventario, quantity:In stock?, quantity:Vorrätig?, quantity:En stock ?, quantity:¿Existencias?,
            quantity:¿En inventario?
            """
        case .discogsCollection:
            """
            sku:release_id, artist:Artist, title:Title, label:Label, catalogue_number:Catalog#, format:Format,
            year:Released, media_condition:Collection Media Condition, sleeve_condition:Collection Sleeve Condition,
            location:CollectionFolder, notes:Collection Notes, discogs_release:release_id
            """
        case .discogsUpload, .bandcamp: nil
        }
    }

    /// The headings of a product's own column. Its later rows leave out what they share with the first.
    var groupHeadings: [String] { self == .shopify ? ["handle", "url handle"] : [] }

    /// The fields that several rows of a product share, so that later rows leave it empty.
    static let sharedFields: Set<RecordField> = [.artist, .title, .label, .format, .status, .notes, .genre]
}
