extension CommandRunner {
    func sell(_ code: SKU, _ count: Int) async throws {
        let sku = try await resolve(code)
        let record = try await found(sku) { try await stock.changeQuantity(of: sku, by: -count) }.record
        try printChange(record, "Sold \(count) of \(sku.text); \(record.quantity) left.")
    }

    func restock(_ code: SKU, _ count: Int) async throws {
        let sku = try await resolve(code)
        let record = try await found(sku) { try await stock.changeQuantity(of: sku, by: count) }.record
        try printChange(record, "Added \(count) of \(sku.text); \(record.quantity) in stock.")
    }

    /// The SKU itself, or the one whose barcode was scanned. With several copies nobody can tell which is in hand.
    private func resolve(_ code: SKU) async throws -> SKU {
        if try await stock.find(code) != nil { return code }
        guard let barcode = try? Barcode(code.text) else { return code }
        let condition = RecordFilter.Condition(field: .barcode, comparison: .equal, value: .text(barcode.ean13))
        let copies = try await stock.list(RecordFilter(conditions: [condition])).map(\.record)
        guard let first = copies.first else {
            throw CommandFailure(.notFound, "there is no record with the SKU or the barcode \(code.text)")
        }
        if copies.count == 1 { return first.sku }
        try printRecords(copies)
        throw CommandFailure(
            .conflict,
            "\(copies.count) records have the barcode \(barcode.ean13); nothing was changed, name the SKU of one")
    }
}
