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
