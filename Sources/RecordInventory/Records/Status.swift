/// Where a record stands in the shop.
enum Status: String, CaseIterable, Sendable {
    case draft
    case forSale = "for_sale"
    case sold

    /// Reads `for_sale` and `For Sale` alike.
    init(_ text: String) throws(InvalidValue) {
        let name = text.trimmed.lowercased().replacing(" ", with: "_")
        guard let status = Status(rawValue: name) else {
            throw InvalidValue("not a status; use one of \(Self.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        self = status
    }
}
