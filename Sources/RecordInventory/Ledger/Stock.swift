import RecordKitJSON
import RecordKit

/// The stock of one shop, on any server.
struct Stock: Sendable {
    let server: NetworkSession
    let bucket: String
    /// Who makes the movements.
    var source: MovementSource
    /// Receives a sentence about a change whose response was lost, but which was made.
    var notice: @Sendable (String) -> Void = { _ in }
    /// Whether commands report what they would do, and write nothing. ``change(seen:_:plan:)`` makes its plan, and
    /// sends nothing.
    var isDryRun = false
    /// Whether each record has its movements. The lock stores this. `false` while the ledger is being created.
    var isLedgerComplete = true
    /// The waits between questions whether a change was made whose response was lost.
    var questionDelays: [Duration] = [.zero, .milliseconds(500), .seconds(2), .seconds(4)]
    /// How long ``change(seen:_:plan:)`` sends a change again whose request was lost, and which was not made.
    var patience = Duration.zero

    /// - Parameters:
    ///   - network: The configuration, with the server as its environment: `http://127.0.0.1:8888/v1`.
    ///   - bucket: The name of the shop.
    ///   - source: Who makes the movements.
    init(_ network: NetworkConfiguration, bucket: String, source: MovementSource = MovementSource()) {
        self.source = source
        server = NetworkSession(network)
        self.bucket = bucket
    }

    /// The requests for what the shop has.
    func list(_ filter: RecordFilter) -> List<RecordPage> {
        List(path: ShopPath.list(ShopPath.records, in: bucket), query: filter.query)
    }

    func list(_ filter: MovementFilter) -> List<MovementPage> {
        List(path: ShopPath.list(Ledger.collection, in: bucket), query: filter.query)
    }

    /// The lock of the shop, which says whether its ledger is complete.
    var lock: ShopLock { ShopLock(bucket: bucket, ledger: isLedgerComplete ? Ledger.format : Ledger.incomplete) }

    func movement(_ id: String) -> Get<Movement> { Get(path: ShopPath.movement(id, in: bucket)) }

    func drawerMove(_ id: String) -> Get<DrawerMove> {
        Get(path: ShopPath.object(id, of: DrawerMove.collection, in: bucket))
    }

    var shopSettings: Get<ShopSettings> { Get(path: ShopPath.collection(ShopPath.records, in: bucket)) }

    /// Reads the settings of the shop. Without a shop, they are the usual ones.
    func readSettings() async throws(InventoryError) -> ShopSettings {
        try await server.found(shopSettings) ?? ShopSettings()
    }

    /// Reads a record, or returns `nil` if it or the shop does not exist.
    func find(_ sku: SKU) async throws(InventoryError) -> StoredRecord? {
        try await server.found(Get(path: ShopPath.record(sku, in: bucket)))
    }

    /// Reads records by their SKUs, which may be repeated. Returns them by id. Returns none if the shop does not exist.
    func stored(_ skus: [SKU]) async throws(InventoryError) -> [String: Result<StoredRecord, Unreadable>] {
        var found: [String: Result<StoredRecord, Unreadable>] = [:]
        // What has no SKU has no record.
        var seen: Set<SKU> = [.none]
        let wanted = skus.filter { seen.insert($0).inserted }
        for ids in Self.portions(wanted.map(\.recordID)) {
            guard let page = try await server.found(list(RecordFilter(oneOfIDs: Array(ids)))) else { return [:] }
            for stored in page.items { found[stored.record.sku.recordID] = .success(stored) }
            for record in page.unreadable { found[record.id] = .failure(record) }
        }
        return found
    }

    /// Divides ids for several requests. Servers and proxies limit the length of a URL, usually to 8 KiB.
    static func portions(_ ids: [String]) -> [ArraySlice<String>] {
        ids.chunks(of: 4_096) { id in
            // A URL has three bytes for most others, as for each of the quotation marks and the comma.
            id.utf8.reduce(9) { $0 + ($1.isAlphanumeric || $1 == UInt8(ascii: "-") ? 1 : 3) }
        }
    }

    /// Returns the currencies of the matching records, at most two. There are none if the shop does not exist.
    func currencies(_ filter: RecordFilter) async throws(InventoryError) -> [String] {
        var codes: [String] = []
        var filter = filter
        filter.pageSize = 1
        // Bounded, whatever a server returns. There are usually one or two.
        for _ in 0..<20 where codes.count < 2 {
            let record = try await objects(ShopPath.records, filter.query).first
            guard let stored = record?.value(at: "price.currency")?.string, !filter.otherCurrencies.contains(stored)
            else { break }
            filter.otherCurrencies.append(stored)
            // Other programs may store codes in small letters.
            let code = (try? Currency(stored))?.code ?? stored
            if !codes.contains(code) { codes.append(code) }
        }
        return codes
    }

    /// Passes the ids of all records to `body`. There are none if the shop does not exist.
    func eachID(_ body: (String) -> Void) async throws(InventoryError) {
        var last: String?
        while true {
            let query: RequestQuery = [
                "_fields": "id", "_sort": "id", "_limit": "5000",
                "gt_id": last.map { JSONValue.string($0).text() },
            ]
            let ids = try await objects(ShopPath.records, query).compactMap { $0.last("id")?.string }
            // Without a later id, a server that repeats a page would cause an endless loop.
            guard let end = ids.last, last.map({ $0.utf8.lexicographicallyPrecedes(end.utf8) }) ?? true else { return }
            ids.forEach(body)
            last = end
        }
    }

    /// Returns the first page of the objects in a collection, as they are stored. There are none if the shop does not
    /// exist.
    func objects(_ collection: String, _ query: RequestQuery) async throws(InventoryError) -> [JSONView] {
        let list = List<ObjectPage<JSONView>>(path: ShopPath.list(collection, in: bucket), query: query)
        return try await server.found(list)?.items ?? []
    }

    /// Passes the matching records to `body`, ordered by id, page by page, until the end or until `body` returns false.
    ///
    /// - Throws: ``InventoryError/noShop`` if the shop does not exist, and whatever `body` throws.
    func eachPage(_ filter: RecordFilter = RecordFilter(), _ body: (RecordPage) throws -> Bool) async throws {
        try await server.eachPage(of: list(filter), body)
    }
}

/// There are fewer copies than requested, or more than a record can have.
struct StockShortage: Error, CustomStringConvertible {
    let record: Record
    /// The number of copies to add, or to take if it is negative.
    let wanted: Int

    var description: String {
        let (sku, quantity) = (record.sku.text, record.quantity)
        if wanted < 0 { return "there are not enough copies of \(sku): \(quantity) in stock, \(-wanted) wanted" }
        let limit = Record.quantities.upperBound
        return "\(sku) can have at most \(limit) copies: \(quantity) in stock, \(wanted) more wanted"
    }
}
