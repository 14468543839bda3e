import Foundation
import RecordKit

/// The stock of one shop: what the commands do with it, on whichever server it is.
struct Stock: Sendable {
    private let server: NetworkConfiguration
    private let shop: NetworkConfiguration
    private let bucket: String

    /// - Parameters:
    ///   - network: its environment is the server, such as `http://127.0.0.1:8888/v1`.
    ///   - bucket: the shop's name.
    init(_ network: NetworkConfiguration, bucket: String) {
        server = network
        self.bucket = bucket
        var shop = network
        shop.environment = network.environment?.appending("buckets/\(bucket)/collections/records")
        self.shop = shop
    }

    // MARK: Reading

    /// Nil when there is no such record. In a shop that does not exist yet there is none.
    func find(_ sku: SKU) async throws(InventoryError) -> StoredRecord? {
        do {
            return try await shop.value(for: RecordService.One.fetch(sku))
        } catch {
            switch error {
            case .notFound, .notAllowed: return nil
            default: throw error
            }
        }
    }

    private func fetch(_ sku: SKU) async throws(InventoryError) -> StoredRecord {
        guard let stored = try await find(sku) else { throw .notFound }
        return stored
    }

    /// Every record that fits, by id. A shop that does not exist yet is empty.
    func list(_ filter: RecordFilter) async throws -> [StoredRecord] {
        var records: [StoredRecord] = []
        try await eachPage(filter) { page in
            records += page
            return true
        }
        return records
    }

    /// The same page by page, until there are no more or `body` returns false.
    func eachPage<Failure: Error>(
        _ filter: RecordFilter = RecordFilter(), _ body: ([StoredRecord]) throws(Failure) -> Bool
    ) async throws {
        var request = RecordService.Many.list(filter)
        var seen: Set<RecordPage.Token> = []
        while true {
            guard let page = try await self.page(request, isFirst: seen.isEmpty) else { return }
            // A server that names the same page twice would keep us for ever.
            guard try body(page.records), let next = page.next, seen.insert(next).inserted else { return }
            request = .next(next)
        }
    }

    /// Nil when there is no shop to list.
    private func page(
        _ request: RecordService.Many, isFirst: Bool
    ) async throws(InventoryError) -> RecordPage? {
        do {
            return try await shop.value(for: request)
        } catch {
            if isFirst, error.mayMeanNoShop { return nil }
            throw error
        }
    }

    // MARK: Writing

    func create(_ record: Record) async throws(InventoryError) -> StoredRecord {
        let request = RecordService.One.create(record)
        do {
            return try await shop.value(for: request)
        } catch {
            guard error.mayMeanNoShop else { throw error }
        }
        try await makeShop()
        return try await shop.value(for: request)
    }

    /// Changes a record to what `change` makes of it as it is at that moment. When somebody else is faster, reads it
    /// again and starts over.
    func update(_ sku: SKU, _ change: (Record) throws -> Record) async throws -> StoredRecord {
        try await settle(sku) { current in
            let record = try change(current.record)
            return record == current.record ? nil : .replace(record, current.version)
        }
    }

    /// Adds to the quantity, or takes from it; never below zero.
    ///
    /// - Throws: ``InventoryError`` or ``StockShortage``.
    func changeQuantity(of sku: SKU, by difference: Int) async throws -> StoredRecord {
        try await settle(sku) { current in
            let (quantity, overflow) = current.record.quantity.addingReportingOverflow(difference)
            guard !overflow, Record.quantities.contains(quantity) else {
                throw StockShortage(record: current.record, wanted: difference)
            }
            return .setQuantity(sku, quantity, current.version)
        }
    }

    func delete(_ sku: SKU) async throws(InventoryError) {
        var current = try await fetch(sku)
        for _ in 0..<Self.patience {
            do {
                return try await shop.value(for: RecordService.Nothing.delete(sku, current.version))
            } catch {
                current = try await newer(than: current, after: error)
            }
        }
        throw .conflict(current)
    }

    /// How many records ``write(_:)`` takes at once.
    func batchLimit() async throws(InventoryError) -> Int {
        try await server.value(for: ServerService.settings).batchLimit
    }

    /// Writes new records, and records over a version of theirs, in one go: an answer for each, in order.
    func write(_ records: [(record: Record, over: Version?)]) async throws(InventoryError) -> [BatchAnswer] {
        let batch = BatchService.send(records.map { .write($0.record, over: $0.over, in: bucket) })
        let answers = try await send(batch, records.count)
        let isShopMissing = answers.contains { answer in
            if case .failure(let error) = answer { error.mayMeanNoShop } else { false }
        }
        guard isShopMissing else { return answers }
        // Then none of them went in, and all may be sent again.
        try await makeShop()
        return try await send(batch, records.count)
    }

    private func send(_ batch: BatchService, _ count: Int) async throws(InventoryError) -> [BatchAnswer] {
        let answers = try await server.value(for: batch)
        guard answers.count == count else {
            throw .refused(
                KintoProblem(
                    code: 200, errno: nil, error: "Bad batch", message: "\(answers.count) answers to \(count) requests")
            )
        }
        return answers
    }

    /// Makes the bucket and the collection where they are missing.
    func makeShop() async throws(InventoryError) {
        try await server.value(for: ShopService.makeBucket(bucket))
        try await server.value(for: ShopService.makeCollection(bucket: bucket))
    }

    // MARK: -

    /// Reads the record and sends what `request` makes of it, again and again as long as somebody else is faster. When
    /// there is nothing to send, the record is as it should be.
    private func settle(
        _ sku: SKU, _ request: (StoredRecord) throws -> RecordService.One?
    ) async throws -> StoredRecord {
        var current = try await fetch(sku)
        for _ in 0..<Self.patience {
            guard let request = try request(current) else { return current }
            do {
                return try await shop.value(for: request)
            } catch {
                current = try await newer(than: current, after: error)
            }
        }
        throw InventoryError.conflict(current)
    }

    /// The record as it is now, after a conflict; any other error is thrown again.
    private func newer(
        than current: StoredRecord, after error: InventoryError
    ) async throws(InventoryError) -> StoredRecord {
        guard case .conflict(let existing) = error else { throw error }
        if let existing, existing.record.sku == current.record.sku { return existing }
        return try await fetch(current.record.sku)
    }

    /// Each time somebody else got through; so many in a row mean that something is wrong.
    private static let patience = 1_000
}

/// Fewer copies than are wanted.
struct StockShortage: Error, CustomStringConvertible {
    let record: Record
    /// How many were to be added; negative when taken.
    let wanted: Int

    var description: String {
        if wanted > 0 { return "\(record.sku.text) cannot have so many: \(record.quantity) and \(wanted) more" }
        return "there are not enough copies of \(record.sku.text): \(record.quantity) in stock, \(-wanted) wanted"
    }
}
