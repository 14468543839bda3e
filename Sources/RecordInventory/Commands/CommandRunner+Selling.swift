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
        let barcode: Barcode
        do throws(InvalidValue) {
            barcode = try Barcode(code.text)
        } catch {
            // Only what looks scanned was meant as one.
            guard code.text.utf8.count(where: \.isDigit) >= 8, code.text.utf8.allSatisfy({ $0 < 0x41 }) else {
                return code
            }
            throw CommandFailure(
                .notFound, "there is no record \(code.text), and as a barcode it is wrong: \(error.reason)")
        }
        let condition = RecordFilter.Condition(field: .barcode, comparison: .equal, value: .text(barcode.ean13))
        var copies: [Record] = []
        _ = try await eachPage(RecordFilter(conditions: [condition])) { records in
            copies += records
            return true
        }
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
