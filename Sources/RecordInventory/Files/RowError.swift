/// Why a row cannot be imported.
struct RowError: Error, Equatable, Sendable, CustomStringConvertible {
    let row: Int
    /// As far as the row shows one.
    let sku: String?
    let reason: String

    /// `row 3 (SKU-2): barcode "4006381333932": …`
    var description: String {
        let name = sku.map { " (\($0.shown))" } ?? ""
        return "row \(row)\(name): \(reason)"
    }
}
