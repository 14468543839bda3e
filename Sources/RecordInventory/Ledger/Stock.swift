import RecordKit

/// The stock of one shop, on any server.
struct Stock: Sendable {
    let server: KintoServer
    /// The server, with the shop's collection of records as its root.
    let shop: KintoServer
    /// The server, with the shop's collection of movements as its root.
    var ledger: KintoServer { server.appending("buckets/\(bucket)/collections/\(Ledger.collection)") }
    let bucket: String
    /// Who makes the movements.
    var source: MovementSource
    /// Receives a sentence about a change whose response was lost, but which was made.
    var notice: @Sendable (String) -> Void = { _ in }
    /// Whether commands report what they would do, and write nothing. ``change(_:known:_:)`` makes its plan, and sends
    /// nothing.
    var isDryRun = false
    /// The waits between questions whether a change was made whose response was lost.
    var questionDelays: [Duration] = [.zero, .milliseconds(500), .seconds(2), .seconds(4)]

    /// - Parameters:
    ///   - network: The configuration, with the server as its environment: `http://127.0.0.1:8888/v1`.
    ///   - bucket: The name of the shop.
    ///   - source: Who makes the movements.
    init(_ network: NetworkConfiguration, bucket: String, source: MovementSource = MovementSource()) {
        self.source = source
        server = KintoServer(network)
        shop = server.appending("buckets/\(bucket)/collections/records")
        self.bucket = bucket
    }

    /// Reads a record.
    ///
    /// - Throws: ``InventoryError/notFound`` if the record does not exist, ``InventoryError/noShop`` if the shop does
    ///   not.
    func fetch(_ sku: SKU) async throws(InventoryError) -> StoredRecord {
        try await shop.value(for: RecordService.One.fetch(sku))
    }

    /// Reads a record, or returns `nil` if it or the shop does not exist.
    func find(_ sku: SKU) async throws(InventoryError) -> StoredRecord? {
        do {
            return try await fetch(sku)
        } catch {
            switch error {
            case .notFound, .noShop: return nil
            default: throw error
            }
        }
    }

    /// Reads records by their SKUs. Returns them by id, with `nil` for one that cannot be read. Returns none if the shop
    /// does not exist.
    func find(_ skus: [SKU]) async throws(InventoryError) -> [String: Record?] {
        try await stored(skus).mapValues { try? $0.get().record }
    }

    /// Reads records by their SKUs, as they are stored. Returns them by id. Returns none if the shop does not exist.
    func stored(_ skus: [SKU]) async throws(InventoryError) -> [String: Result<StoredRecord, UnreadableRecord>] {
        var found: [String: Result<StoredRecord, UnreadableRecord>] = [:]
        for ids in Self.portions(skus.map(\.recordID)) {
            do {
                let page = try await shop.value(for: RecordService.Many.list(RecordFilter(oneOfIDs: Array(ids))))
                for stored in page.records { found[stored.record.sku.recordID] = .success(stored) }
                for record in page.unreadable { found[record.id] = .failure(record) }
            } catch {
                guard case .noShop = error else { throw error }
                return [:]
            }
        }
        return found
    }

    /// Returns which of the movements exist. Returns none if there is no ledger.
    func existingMovements(_ ids: [String]) async throws(InventoryError) -> Set<String> {
        var found: Set<String> = []
        for ids in Self.portions(ids) {
            do {
                found.formUnion(try await server.value(for: LedgerService.IDs(ids: Array(ids), bucket: bucket)))
            } catch {
                guard case .noShop = error else { throw error }
                return []
            }
        }
        return found
    }

    /// Divides ids for several requests. Servers and proxies limit the length of a URL, usually to 8 KiB.
    static func portions(_ ids: [String]) -> [ArraySlice<String>] {
        var portions: [ArraySlice<String>] = []
        var rest = ids[...]
        while !rest.isEmpty {
            var size = 0
            let portion = rest.prefix { id in
                size += id.utf8.count + 9
                return size <= 4_096 || size == id.utf8.count + 9
            }
            portions.append(portion)
            rest = rest.dropFirst(portion.count)
        }
        return portions
    }

    /// Returns the currency of the first record, as stored, or `nil` if there is no record with one.
    func firstPrice(_ filter: RecordFilter) async throws(InventoryError) -> String? {
        try await shop.value(for: RecordService.Currencies(filter: filter))
    }

    /// Passes the ids of all records to `body`. There are none if the shop does not exist.
    func eachID(_ body: (String) -> Void) async throws(InventoryError) {
        var last: String?
        while true {
            let ids: [String]
            do {
                ids = try await shop.value(for: RecordService.IDs(last: last))
            } catch {
                guard case .noShop = error else { throw error }
                return
            }
            // Without a later id, a server that repeats a page would cause an endless loop.
            guard let end = ids.last, last.map({ $0.utf8.lexicographicallyPrecedes(end.utf8) }) ?? true else { return }
            ids.forEach(body)
            last = end
        }
    }

    /// Passes the matching records to `body`, ordered by id, page by page, until the end or until `body` returns false.
    ///
    /// - Throws: ``InventoryError/noShop`` if the shop does not exist, and whatever `body` throws.
    func eachPage(_ filter: RecordFilter = RecordFilter(), _ body: (RecordPage) throws -> Bool) async throws {
        try await shop.eachPage(of: RecordService.Many.list(filter), body)
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
