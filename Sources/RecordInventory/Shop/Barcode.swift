/// A trade item number, as printed under a barcode. Kept as EAN-13: thirteen digits with a check digit.
struct Barcode: Hashable, Sendable {
    let ean13: String

    /// Parses EAN-13, UPC-A (12 digits), EAN-8, UPC-E (8 digits that begin with 0 or 1), and GTIN-14 if it starts with
    /// a zero. Drops spaces and hyphens. Pads shorter numbers with zeros on the left, as in the GS1 General
    /// Specifications. Accepts 11 digits with a correct check digit too: a UPC-A that lost its leading zero in a
    /// spreadsheet.
    init(_ text: some StringProtocol) throws(InvalidValue) {
        var digits: [UInt8] = []
        for character in text.trimmed {
            if let byte = character.asciiValue, byte.isDigit {
                digits.append(byte)
            } else if character != " ", character != "-" {
                throw InvalidValue(Self.complaint(about: text.trimmed))
            }
        }
        switch digits.count {
        case 8:
            let padded = Array(repeating: UInt8(ascii: "0"), count: 5) + digits
            // An EAN-8 that begins with 0 is one of the shop's own.
            let isEAN = digits[0] != UInt8(ascii: "0") && digits[7] == Self.checkDigit(of: digits.dropLast())
            digits = isEAN ? padded : Self.expanded(digits) ?? padded
        case 12: digits.insert(contentsOf: repeatElement(UInt8(ascii: "0"), count: 13 - digits.count), at: 0)
        case 11 where digits.last == Self.checkDigit(of: digits.dropLast()): digits.insert(contentsOf: "00".utf8, at: 0)
        case 13: break
        case 14 where digits[0] == UInt8(ascii: "0"): digits.removeFirst()
        case 14: throw InvalidValue("14 digits that do not start with 0 name a carton, not a record")
        default: throw InvalidValue("\(digits.count) digits; a barcode has 8, 12 or 13")
        }
        let expected = Self.checkDigit(of: digits.dropLast())
        guard digits[12] == expected else {
            let expected = Character(Unicode.Scalar(expected))
            throw InvalidValue("a digit is mistyped or misread: after the others, the last one would be \(expected)")
        }
        ean13 = String(decoding: digits, as: UTF8.self)
    }

    /// Returns the UPC-A of a UPC-E as thirteen digits, or `nil` if it is none. The sixth digit after the first tells
    /// where zeros were left out.
    private static func expanded(_ digits: [UInt8]) -> [UInt8]? {
        let (body, last) = (digits[1...5], digits[6] - UInt8(ascii: "0"))
        guard digits[0] <= UInt8(ascii: "1") else { return nil }
        let (kept, zeros, moved) =
            switch last {
            case 0...2: (2, 4, [digits[6]])
            case 3, 4: (Int(last), 5, [UInt8]())
            default: (5, 4, [UInt8]())
            }
        let tail = last > 4 ? [digits[6]] : Array(body.dropFirst(kept))
        let whole =
            [UInt8(ascii: "0"), digits[0]] + body.prefix(kept) + moved
            + repeatElement(UInt8(ascii: "0"), count: zeros) + tail
        return digits[7] == checkDigit(of: whole[...]) ? whole + [digits[7]] : nil
    }

    /// The barcode in all forms that other programs may have stored, except with spaces and hyphens.
    var spellings: [String] {
        [ean13, "0" + ean13]
            + [12, 11, 8].map { ean13.suffix($0) }.filter { ean13.dropLast($0.count).allSatisfy { $0 == "0" } }
            .map(String.init)
    }

    /// Returns the check digit, which fills up to a multiple of ten. From the right, every other digit counts three
    /// times.
    private static func checkDigit(of digits: ArraySlice<UInt8>) -> UInt8 {
        var sum = 0
        for (index, digit) in digits.reversed().enumerated() {
            sum += Int(digit - UInt8(ascii: "0")) * (index.isMultiple(of: 2) ? 3 : 1)
        }
        return UInt8(ascii: "0") + UInt8((10 - sum % 10) % 10)
    }

    private static func complaint(about text: String) -> String {
        let isScientific =
            text.utf8.contains { $0 | 0x20 == UInt8(ascii: "e") }
            && text.utf8.allSatisfy { $0.isDigit || "eE+.,".utf8.contains($0) }
        return isScientific
            ? "a spreadsheet shortened it and lost digits; make the column a text column and enter the barcode again"
            : "a barcode has only digits, spaces and hyphens"
    }
}
