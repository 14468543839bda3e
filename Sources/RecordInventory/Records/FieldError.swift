/// A value that a field cannot take.
struct FieldError: Error, Equatable, CustomStringConvertible {
    let field: RecordField
    /// As it was typed; nil when there was none.
    let value: String?
    let reason: String

    static func missing(_ field: RecordField) -> FieldError {
        FieldError(field: field, value: nil, reason: "missing")
    }

    /// `barcode "12345": 5 digits; a barcode has 8, 12 or 13`
    var description: String {
        guard let value, !value.isEmpty else { return "\(field.rawValue): \(reason)" }
        return "\(field.rawValue) \"\(value.shown)\": \(reason)"
    }
}
