// Finding records by what was typed or scanned: a SKU or a barcode.
extension StockSnapshot {
    /// Returns the record with a SKU, or all with a scanned barcode. Throws if there is none.
    func records(for code: SKU) throws -> [StoredRecord] {
        switch found[code] {
        case .record(let stored): return [stored]
        case .copies(let copies, _):
            guard copies.isEmpty else { return copies }
            throw MissingRecord(code: code, mayBeBarcode: true)
        case .failure(.notFound), nil: throw MissingRecord(code: code, capital: capitals[code])
        case .failure(let error): throw MissingRecord.named(error, code)
        }
    }

    /// Returns the record with a SKU or a scanned barcode.
    ///
    /// - Parameters:
    ///   - isSale: Whether the only one in stock is meant, of several with the barcode.
    ///   - taken: The copies that are taken already, by SKU.
    func record(for code: SKU, isSale: Bool, taken: [SKU: Int] = [:]) throws -> StoredRecord {
        let copies = try records(for: code)
        if copies.count == 1 { return copies[0] }
        let inStock = copies.filter { $0.record.quantity > taken[$0.record.sku] ?? 0 }
        // A draft is taken only if nothing else can be.
        let offered = inStock.filter { $0.record.status != .draft }
        let wanted = offered.isEmpty ? inStock : offered
        if isSale, wanted.count == 1 { return wanted[0] }
        throw AmbiguousBarcode(
            barcode: try copies[0].record.barcode ?? Barcode(code.text), records: copies.map(\.record))
    }

    /// Returns the SKU of a code, also if its record cannot be read.
    func sku(for code: SKU) throws -> SKU {
        do {
            return try record(for: code, isSale: false).record.sku
        } catch InventoryError.unreadable {
            return code
        }
    }
}

/// There is no record with a SKU.
struct MissingRecord: Error {
    let code: SKU
    /// Whether no record has it as its barcode either.
    var mayBeBarcode = false
    /// Whether there is no shop at all.
    var isShopMissing = false
    /// The SKU of a record that is the code in capital letters, or with zeros before it.
    var capital: SKU?
    /// What may be wrong with the code, to continue a sentence.
    var hint: String {
        capital.map { capital in
            let isNumber = capital.text.utf8.allSatisfy(\.isDigit)
            return "; \(isNumber ? "" : "a SKU has capital or small letters: ")did you mean \(capital.text)?"
        }
            ?? ScannedCode.hint(for: code.text)
    }

    /// Returns the error of a request, with the SKU if the record or the shop does not exist.
    static func named(_ error: InventoryError, _ code: SKU) -> any Error {
        switch error {
        case .notFound: MissingRecord(code: code)
        case .noShop: MissingRecord(code: code, isShopMissing: true)
        default: error
        }
    }
}

/// A scanned barcode that several records have, each of which may be meant.
struct AmbiguousBarcode: Error {
    let barcode: Barcode
    let records: [Record]
}

extension Record {
    /// The record as on its sleeve: `LP-1, Miles Davis: Kind of Blue, VG+/VG`.
    var name: String {
        sku == .none
            ? title.escapedForTerminal
            : ["\(sku.text), \(artist): \(title)", conditions].filter { !$0.isEmpty }.joined(separator: ", ")
                .escapedForTerminal
    }

    /// The grades of the medium and of the sleeve, as far as known: `VG+/VG`.
    var conditions: String {
        [mediaCondition?.rawValue, sleeveCondition?.rawValue].compactMap(\.self).joined(separator: "/")
    }
}
