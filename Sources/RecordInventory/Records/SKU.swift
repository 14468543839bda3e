import Foundation

/// A store's own number for one item: any text of at most 64 characters, without control characters.
///
/// White space at both ends is dropped, and with it marks that nobody sees, which are copied along with a text. Letters
/// written in several Unicode ways are brought to one (normalization form C), so that a SKU typed on another machine is
/// the same SKU. Upper and lower case are different.
struct SKU: Hashable, Sendable, Comparable, CustomStringConvertible {
    let text: String
    var description: String { text }

    init(_ text: some StringProtocol) throws(InvalidValue) {
        let trimmed = text.trimmed { $0.isWhitespace || Self.unseen.contains($0) }
        let text = trimmed.utf8.allSatisfy { $0 < 0x80 } ? trimmed : trimmed.precomposedStringWithCanonicalMapping
        guard !text.isEmpty else { throw InvalidValue("missing") }
        // Characters may be piled up from many code points; a Kinto id has to stay short enough for a database index.
        guard text.count <= 64, text.utf8.count <= 512 else {
            throw InvalidValue("longer than 64 characters")
        }
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator:
                throw InvalidValue("holds a line break or another control character")
            default: continue
            }
        }
        self.text = text
    }

    /// Spaces without width, a byte-order mark, and what turns the direction of writing.
    private static let unseen = Set<Character>(
        "\u{200B}\u{200E}\u{200F}\u{2060}\u{FEFF}\u{61C}\u{202A}\u{202B}\u{202C}\u{202D}\u{202E}"
            + "\u{2066}\u{2067}\u{2068}\u{2069}")

    private init(unchecked text: String) {
        self.text = text
    }

    /// By code points, so that every machine sorts alike.
    static func < (left: SKU, right: SKU) -> Bool {
        left.text.unicodeScalars.lexicographicallyPrecedes(right.text.unicodeScalars)
    }

    /// A new SKU like `K7M2-9QXW`: no characters that look alike, a letter first so that it is never taken for a
    /// barcode.
    static func random(using generator: inout some RandomNumberGenerator) -> SKU {
        let letters = Array("ABCDEFGHJKMNPQRSTVWXYZ")
        let characters = letters + Array("23456789")
        var text = String(letters[Int.random(in: letters.indices, using: &generator)])
        for position in 1..<8 {
            if position == 4 { text.append("-") }
            text.append(characters[Int.random(in: characters.indices, using: &generator)])
        }
        return SKU(unchecked: text)
    }
}

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

extension String {
    /// Whether it can be the id of a bucket, a collection or a record: `[a-zA-Z0-9][a-zA-Z0-9_-]*`.
    var isKintoID: Bool {
        utf8.first?.isAlphanumeric == true
            && utf8.allSatisfy { $0.isAlphanumeric || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-") }
    }
}
