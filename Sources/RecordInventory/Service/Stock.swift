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
            let page: RecordPage
            do {
                page = try await shop.value(for: request)
            } catch .notAllowed where seen.isEmpty {
                return
            }
            // A server that names the same page twice would keep us for ever.
            guard try body(page.records), let next = page.next, seen.insert(next).inserted else { return }
            request = .next(next)
        }
    }

    // MARK: Writing

    func create(_ record: Record) async throws(InventoryError) -> StoredRecord {
        try await inShop { () async throws(InventoryError) in
            try await shop.value(for: RecordService.One.create(record))
        }
    }

    /// Changes a record to what `change` makes of it as it is at that moment. When somebody else is faster, reads it
    /// again and starts over.
    func update<Failure: Error>(
        _ sku: SKU, _ change: (inout Record) throws(Failure) -> Void
    ) async throws -> StoredRecord {
        try await settle(sku) { current async throws in
            var record = current.record
            try change(&record)
            if record == current.record { return current }
            return try await shop.value(for: RecordService.One.replace(record, current.version))
        }
    }

    /// Adds to the quantity, or takes from it; never below zero.
    ///
    /// - Throws: ``InventoryError`` or ``StockShortage``.
    func changeQuantity(of sku: SKU, by difference: Int) async throws -> StoredRecord {
        try await settle(sku) { current async throws in
            let (quantity, overflow) = current.record.quantity.addingReportingOverflow(difference)
            guard !overflow, quantity >= 0, quantity <= Record.quantities.upperBound else {
                throw StockShortage(record: current.record, wanted: difference)
            }
            return try await shop.value(for: RecordService.One.setQuantity(sku, quantity, current.version))
        }
    }

    func delete(_ sku: SKU) async throws {
        _ = try await settle(sku) { current async throws in
            try await shop.value(for: RecordService.Nothing.delete(sku, current.version))
            return current
        }
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
            if case .failure(.notAllowed) = answer { true } else { false }
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

    /// Does `work`; when the shop turns out to be missing, makes it and does it again.
    private func inShop<Value: Sendable>(
        _ work: () async throws(InventoryError) -> Value
    ) async throws(InventoryError) -> Value {
        do {
            return try await work()
        } catch .notAllowed {
            try await makeShop()
            return try await work()
        }
    }

    /// Reads the record and does `work` with it, again and again as long as somebody else is faster.
    private func settle(
        _ sku: SKU, _ work: (StoredRecord) async throws -> StoredRecord
    ) async throws -> StoredRecord {
        var current = try await fetch(sku)
        for _ in 0..<Self.patience {
            do {
                return try await work(current)
            } catch InventoryError.conflict(let newer) {
                if let newer, newer.record.sku == sku {
                    current = newer
                } else {
                    current = try await fetch(sku)
                }
            }
        }
        throw InventoryError.conflict(current)
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
