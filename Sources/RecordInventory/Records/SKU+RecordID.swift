/// SKUs as record ids, which Kinto limits to `[a-zA-Z0-9][a-zA-Z0-9_-]*`.
///
/// A SKU that is such an id stands for itself: `LP-0042`, `shelf_7`. Any other is written as `x--`, its letters, digits
/// and hyphens as they are, `__` for an underscore, and `_` with two hexadecimal digits for each other byte of its
/// UTF-8: `LP 42` is `x--LP_2042`. A SKU that itself starts with `x--` is written so too. Thus no two SKUs share an id,
/// and each id gives its SKU back.
extension SKU {
    private static let mark = "x--"

    /// Where the ids of the others are.
    static let escapedIDs = mark..<"x-."

    /// Whether it stands for itself.
    var isRecordID: Bool { text.isKintoID && !text.hasPrefix(Self.mark) }

    var recordID: String {
        if isRecordID { return text }
        var id = Array(Self.mark.utf8)
        for byte in text.utf8 {
            if byte.isAlphanumeric || byte == UInt8(ascii: "-") {
                id.append(byte)
            } else if byte == UInt8(ascii: "_") {
                id.append(contentsOf: "__".utf8)
            } else {
                // Always two digits: a SKU holds no control character.
                id.append(contentsOf: "_\(String(byte, radix: 16))".utf8)
            }
        }
        return String(decoding: id, as: UTF8.self)
    }

    /// Nil for an id that no SKU is written as.
    init?(recordID id: String) {
        guard let text = id.hasPrefix(Self.mark) ? Self.unescaped(id.utf8.dropFirst(Self.mark.utf8.count)) : id,
            let sku = try? SKU(text), sku.recordID == id
        else { return nil }
        self = sku
    }

    private static func unescaped(_ id: Substring.UTF8View) -> String? {
        var bytes: [UInt8] = []
        var rest = id
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "_") else {
                bytes.append(byte)
                continue
            }
            if rest.first == UInt8(ascii: "_") {
                bytes.append(byte)
                rest.removeFirst()
            } else {
                guard let digits = String(rest.prefix(2)), digits.utf8.count == 2, let byte = UInt8(digits, radix: 16)
                else { return nil }
                bytes.append(byte)
                rest = rest.dropFirst(2)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
