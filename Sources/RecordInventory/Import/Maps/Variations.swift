/// The products of a WooCommerce export whose variations have rows of their own.
///
/// A variation has the name and the data of its parent, and perhaps its stock. A parent may stand behind its
/// variations. So these wait for the end of the file.
struct Variations: Sendable {
    private let type: Int?
    private let id: Int?
    private let parent: Int?
    /// The column of the reduced price, unless the map has it.
    private let reduced: Int?
    /// The parents, by SKU and by `id:`.
    private var parents: [String: MappedRow] = [:]
    private var rows: [(row: MappedRow, parent: String)] = []
    /// The number of variations that share the stock of each parent.
    private var sharing: [String: Int] = [:]
    private var position = 0

    /// - Parameters:
    ///   - names: The headings of the file, in small letters.
    ///   - used: The columns that the map has.
    init(_ names: [String], used: Set<Int>) {
        func column(_ headings: String...) -> Int? { names.firstIndex(where: headings.contains) }
        type = column("type", "typ", "tipo")
        id = column("id")
        parent = column("parent", "übergeordnetes produkt", "superior", "principal")
        reduced = column("sale price", "angebotspreis", "tarif promo", "precio rebajado").flatMap {
            used.contains($0) ? nil : $0
        }
    }

    /// Takes a row that is a parent or a variation. Returns `nil` for one that is neither.
    mutating func take(_ mapped: MappedRow, _ row: CSVRow) -> RowRecord? {
        func text(_ column: Int?) -> String { column.flatMap { $0 < row.count ? row[$0].trimmed : nil } ?? "" }
        let kinds = text(type).lowercased().split(separator: ",").map(\.trimmed)
        var skipped = mapped.row
        skipped.isSkipped = true
        if kinds.contains("variable") {
            skipped.isParent = true
            for key in [mapped.values[.sku]?.trimmed, "id:" + text(id)].compactMap(\.self) { parents[key] = mapped }
            return skipped
        }
        guard kinds.contains("variation") else { return nil }
        rows.append((mapped, text(parent)))
        if Self.sharesStock(mapped) { sharing[text(parent), default: 0] += 1 }
        return skipped
    }

    func isReduced(_ row: CSVRow, _ price: String?) -> Bool {
        guard let reduced, reduced < row.count, !row[reduced].trimmed.isEmpty else { return false }
        return row[reduced].trimmed != price?.trimmed
    }

    /// Returns the next variation, with what it has of its parent. `nil` if there is none.
    mutating func next() -> MappedRow? {
        guard position < rows.count else { return nil }
        var (mapped, key) = rows[position]
        position += 1
        let sharesStock = Self.sharesStock(mapped)
        if mapped.isDivided { mapped.values[.artist] = nil }
        guard let parent = parents[key] else {
            if mapped.isDivided { mapped.values[.title] = mapped.undivided }
            mapped.row.absent += [.title]
            mapped.row.notes.append(
                "a variation whose parent\(key.isEmpty ? "" : " \"\(key.shown)\"") is not in the file: "
                    + "its name is the title"
            )
            if sharesStock { leaveStock(&mapped, "which is not in the file") }
            return mapped
        }
        let own: Set<RecordField> = [.sku, .barcode, .price, .cost, .quantity]
        for (field, value) in parent.values where !own.contains(field) {
            let isName = field == .artist || field == .title
            if isName || mapped.values[field] == nil { mapped.values[field] = value }
        }
        mapped.isDivided = parent.isDivided
        guard sharesStock else { return mapped }
        if let count = sharing[key], count > 1 {
            leaveStock(&mapped, "which \(count) variations share")
        } else {
            mapped.values[.quantity] = parent.values[.quantity]
        }
        return mapped
    }

    private static func sharesStock(_ mapped: MappedRow) -> Bool {
        mapped.values[.quantity]?.trimmed.lowercased() == "parent"
    }

    private func leaveStock(_ mapped: inout MappedRow, _ reason: String) {
        mapped.values[.quantity] = "0"
        mapped.row.absent.append(.quantity)
        mapped.row.notes.append("its stock is that of its parent, \(reason): a new record gets no copies")
    }
}
