extension CommandRunner {
    func sell(_ code: SKU, _ count: Int) async throws {
        let record = try await change(code, by: -count)
        try printChange(record, "Sold \(count) of \(record.sku.text); \(record.quantity) left.")
    }

    func restock(_ code: SKU, _ count: Int) async throws {
        let record = try await change(code, by: count)
        try printChange(record, "Restocked \(count) of \(record.sku.text); \(record.quantity) in stock.")
    }

    private func change(_ code: SKU, by difference: Int) async throws -> Record {
        let found = try await self.found(code) {
            do {
                return try await stock.fetch(code)
            } catch InventoryError.notFound {
                return try await scanned(code, isSale: difference < 0)
            }
        }
        let sku = found.record.sku
        return try await self.found(sku) { try await stock.changeQuantity(of: sku, by: difference, known: found) }
            .record
    }

    /// Returns the record with a scanned barcode. Of several, a sale takes the only one in stock.
    private func scanned(_ code: SKU, isSale: Bool) async throws -> StoredRecord {
        let missing = CommandFailure(.notFound, "there is no record \(code.text)")
        let barcode: Barcode
        do throws(InvalidValue) {
            barcode = try Barcode(code.text)
        } catch {
            // Only a string of digits can have been scanned.
            let isScanned = code.text.utf8.allSatisfy(\.isDigit) && code.text.utf8.count >= 8
            throw isScanned
                ? CommandFailure(.notFound, "\(missing.message), and as a barcode it is wrong: \(error.reason)")
                : missing
        }
        var copies: [StoredRecord] = []
        _ = try await eachPage(RecordFilter(conditions: [.barcode(barcode)])) { page in
            copies += page
            return true
        }
        guard let first = copies.first else {
            throw CommandFailure(.notFound, "there is no record with the SKU or the barcode \(code.text)")
        }
        if copies.count == 1 { return first }
        let inStock = copies.filter { $0.record.quantity > 0 }
        if isSale, inStock.count == 1 { return inStock[0] }
        try printRecords(copies.map(\.record))
        throw CommandFailure(
            .conflict,
            "\(copies.count) records have the barcode \(barcode.ean13); nothing was changed, name the SKU of one")
    }
}
