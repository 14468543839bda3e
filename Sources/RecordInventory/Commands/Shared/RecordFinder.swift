/// Finds records by what was typed or scanned: a SKU or a barcode.
struct RecordFinder: Sendable {
    let context: CommandContext

    private var stock: Stock { context.stock }

    /// Looks at what a change has to know. See ``Stock/look(at:skus:naming:undoing:payments:)``.
    ///
    /// - Throws: ``InventoryError/alreadyMade(_:isChanged:)`` if the command was made.
    func look(at codes: [SKU] = [], naming name: String? = nil, payments: Bool = false) async throws -> StockLook {
        let look = try await stock.look(at: codes, naming: name, payments: payments)
        if look.isMade, let command = stock.source.command {
            throw InventoryError.alreadyMade(command, isChanged: false)
        }
        return look
    }

    /// Returns the record with a SKU, or all with a scanned barcode. Throws if there is none.
    func records(for code: SKU, in look: StockLook) throws -> [StoredRecord] {
        switch look.found[code] {
        case .record(let stored): return [stored]
        case .copies(let copies, let unreadable):
            unreadable.forEach(context.reportUnreadable)
            guard copies.isEmpty else { return copies }
            throw CommandFailure(.notFound, "there is no record with the SKU or the barcode \(code.text)")
        case .failure(.notFound), nil:
            throw CommandFailure(.notFound, "there is no record \(code.text)\(misreading(of: code))")
        case .failure(let error): throw named(error, code)
        }
    }

    /// Returns what is wrong with a barcode, to continue a sentence. Only a string of digits can have been scanned.
    private func misreading(of code: SKU) -> String {
        guard code.text.utf8.allSatisfy(\.isDigit), code.text.utf8.count >= 8 else { return "" }
        do throws(InvalidValue) {
            _ = try Barcode(code.text)
            return ""
        } catch {
            return ", and as a barcode it is wrong: \(error.reason)"
        }
    }

    /// Returns the record with a SKU or a scanned barcode.
    ///
    /// - Parameters:
    ///   - isSale: Whether the only one in stock is meant, of several with the barcode.
    ///   - taken: The copies that are taken already, by SKU.
    func record(
        for code: SKU, in look: StockLook, isSale: Bool, taken: [SKU: Int] = [:]
    ) throws -> StoredRecord {
        let copies = try records(for: code, in: look)
        return copies.count == 1 ? copies[0] : try one(of: copies, with: code, isSale: isSale, taken: taken)
    }

    func record(for code: SKU, isSale: Bool, taken: [SKU: Int] = [:]) async throws -> StoredRecord {
        try record(for: code, in: try await look(at: [code]), isSale: isSale, taken: taken)
    }

    /// Returns the records with SKUs.
    func records(_ skus: [SKU], in look: StockLook) throws -> [StoredRecord] {
        try skus.map { sku in
            do throws(InventoryError) {
                return try look.record(sku)
            } catch {
                throw named(error, sku)
            }
        }
    }

    /// Returns the SKU of a code, also if its record cannot be read.
    func sku(for code: SKU, in look: StockLook) throws -> SKU {
        // Only a barcode stands for another SKU.
        guard (try? Barcode(code.text)) != nil else { return code }
        do {
            return try record(for: code, in: look, isSale: false).record.sku
        } catch InventoryError.unreadable {
            return code
        }
    }

    /// Runs `work`, and names the SKU in the error if the record or the shop does not exist.
    func found<Value>(_ sku: SKU, _ work: () async throws -> Value) async throws -> Value {
        do {
            return try await work()
        } catch let error as InventoryError {
            throw named(error, sku)
        }
    }

    private func named(_ error: InventoryError, _ sku: SKU) -> any Error {
        switch error {
        case .notFound: CommandFailure(.notFound, "there is no record \(sku.text)")
        case .noShop: CommandFailure(.notFound, "there is no record \(sku.text): \(context.noShop)")
        default: error
        }
    }

    /// Returns the only record in stock of several with a barcode, if it is for a sale.
    private func one(
        of copies: [StoredRecord], with code: SKU, isSale: Bool, taken: [SKU: Int]
    ) throws -> StoredRecord {
        let barcode = try Barcode(code.text)
        let inStock = copies.filter { $0.record.quantity > taken[$0.record.sku] ?? 0 }
        // A draft is taken only if nothing else can be.
        let offered = inStock.filter { $0.record.status != .draft }
        let wanted = offered.isEmpty ? inStock : offered
        if isSale, wanted.count == 1 { return wanted[0] }
        throw AmbiguousBarcode(barcode: barcode, records: copies.map(\.record))
    }
}

/// A scanned barcode that several records have, each of which may be meant.
struct AmbiguousBarcode: Error {
    let barcode: Barcode
    let records: [Record]

    var failure: CommandFailure {
        CommandFailure(
            .conflict,
            "\(records.count) records have the barcode \(barcode.ean13); nothing was changed, name the SKU of one")
    }
}

extension Record {
    /// The record as on its sleeve: `LP-1, Miles Davis: Kind of Blue, VG+/VG`.
    var name: String {
        ["\(sku.text), \(artist): \(title)", conditions].filter { !$0.isEmpty }.joined(separator: ", ")
            .escapedForTerminal
    }

    /// The grades of the medium and of the sleeve, as far as known: `VG+/VG`.
    var conditions: String {
        [mediaCondition?.rawValue, sleeveCondition?.rawValue].compactMap(\.self).joined(separator: "/")
    }
}
