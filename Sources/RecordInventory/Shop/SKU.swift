import Foundation
import RecordKitDigest

/// The store's own number of an item: a string of at most 64 characters, without control characters.
///
/// Trims white space and invisible characters, which are copied along with text. Normalizes to form C, so that a SKU
/// typed on another machine is equal. Case matters.
struct SKU: Hashable, Sendable, Comparable, CustomStringConvertible {
    let text: String
    var description: String { text }

    init(_ text: some StringProtocol) throws(InvalidValue) {
        // Most SKUs are such: ASCII without blanks.
        if 1...64 ~= text.utf8.count, text.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) {
            self.text = String(text)
            return
        }
        let trimmed = text.isTight ? String(text) : text.trimmed { $0.isWhitespace || Self.unseen.contains($0) }
        let text = trimmed.utf8.allSatisfy { $0 < 0x80 } ? trimmed : trimmed.precomposedStringWithCanonicalMapping
        guard !text.isEmpty else { throw InvalidValue("missing") }
        // A character may have many code points. A Kinto id must fit into a database index.
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

    /// Spaces without width, the byte-order mark, and marks that change the direction.
    private static let unseen = Set<Character>(
        "\u{200B}\u{200E}\u{200F}\u{2060}\u{FEFF}\u{61C}\u{202A}\u{202B}\u{202C}\u{202D}\u{202E}"
            + "\u{2066}\u{2067}\u{2068}\u{2069}")

    private init(unchecked text: String) {
        self.text = text
    }

    /// Stands for the SKU of a record that has none yet.
    static let none = SKU(unchecked: "")

    /// Orders by code points, which is the same on every machine.
    static func < (left: SKU, right: SKU) -> Bool {
        left.text.unicodeScalars.lexicographicallyPrecedes(right.text.unicodeScalars)
    }

    /// Creates a random SKU like `K7M2-9QXW`.
    static func random(using generator: inout some RandomNumberGenerator) -> SKU {
        readable((0..<8).map { _ in Int.random(in: 0..<letters.count * characters.count, using: &generator) })
    }

    /// Returns a SKU like `K7M2-9QXW-3FGH`, which follows from what a record is, and not from its price, its copies or
    /// its place. Two of a million records have the same with a probability of one to a million.
    static func made(for record: Record) -> SKU {
        let fields: [RecordField] = [
            .artist, .title, .label, .catalogueNumber, .format, .barcode, .mediaCondition, .sleeveCondition,
        ]
        let texts = fields.map { field in
            let words = (field.text(of: record) ?? "").lowercased().split(whereSeparator: \.isWhitespace)
            return words.joined(separator: " ").precomposedStringWithCanonicalMapping
        }
        var digest = MessageDigest(.sha256)
        digest.update(Data(texts.joined(separator: "\u{1F}").utf8))
        let bytes = digest.bytes.map(Int.init)
        return readable(stride(from: 0, to: 24, by: 2).map { bytes[$0] << 8 | bytes[$0 + 1] })
    }

    private static let letters = Array("ABCDEFGHJKMNPQRSTVWXYZ")
    private static let characters = letters + Array("23456789")

    /// Returns a SKU in groups of four characters, none of which look alike. Starts with a letter, so that it is never
    /// taken for a barcode.
    private static func readable(_ numbers: [Int]) -> SKU {
        var text = String(letters[numbers[0] % letters.count])
        for (position, number) in numbers.enumerated().dropFirst() {
            if position.isMultiple(of: 4) { text.append("-") }
            text.append(characters[number % characters.count])
        }
        return SKU(unchecked: text)
    }
}

/// SKUs as record ids, which Kinto limits to `[a-zA-Z0-9][a-zA-Z0-9_-]*`.
///
/// A SKU that is such an id is its own id: `LP-0042`, `shelf_7`. Any other id starts with `x--`. Letters, digits and
/// hyphens follow as they are, an underscore as `__`, and any other byte of the UTF-8 as `_` with two hexadecimal
/// digits: `LP 42` is `x--LP_2042`. A SKU that itself starts with `x--` is escaped too. So no two SKUs share an id,
/// and each id gives its SKU back.
extension SKU {
    fileprivate static let mark = "x--"

    /// The range of escaped ids.
    static let escapedIDs = mark..<"x-."

    /// Whether the SKU is its own id.
    var isRecordID: Bool { text.isOwnKintoID }

    var recordID: String { text.kintoID }

    /// Parses an id. Returns `nil` if it is the id of no SKU.
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
    /// Whether the string can be the id of a bucket, a collection or a record: `[a-zA-Z0-9][a-zA-Z0-9_-]*`.
    var isKintoID: Bool {
        utf8.first?.isAlphanumeric == true
            && utf8.allSatisfy { $0.isAlphanumeric || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-") }
    }

    /// Whether the string is its own id.
    fileprivate var isOwnKintoID: Bool { isKintoID && !hasPrefix(SKU.mark) }

    /// The string as an id. Another string has another id.
    var kintoID: String { isOwnKintoID ? self : escapedKintoID }

    /// The string as an id that starts with `x--`.
    var escapedKintoID: String {
        var id = Array(SKU.mark.utf8)
        for byte in utf8 {
            if byte.isAlphanumeric || byte == UInt8(ascii: "-") {
                id.append(byte)
            } else if byte == UInt8(ascii: "_") {
                id.append(contentsOf: "__".utf8)
            } else {
                id.append(contentsOf: "_\(byte < 16 ? "0" : "")\(String(byte, radix: 16))".utf8)
            }
        }
        return String(decoding: id, as: UTF8.self)
    }
}
