/// Why a text is no barcode, price, SKU … in words for the person who typed it.
struct InvalidValue: Error, Equatable {
    let reason: String

    init(_ reason: String) {
        self.reason = reason
    }
}
