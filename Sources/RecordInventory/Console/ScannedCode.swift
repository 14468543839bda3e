/// What scanners add to a barcode, or change in it.
enum ScannedCode {
    /// The digits of a French or Belgian keyboard without the shift key.
    private static let keys: [Character: Character] = [
        "&": "1", "é": "2", "\"": "3", "'": "4", "(": "5", "-": "6", "§": "6", "è": "7", "_": "8", "!": "8", "ç": "9",
        "à": "0",
    ]

    /// Returns the code that was meant.
    ///
    /// Leaves out the identifier of the symbology (`]E0`, ISO/IEC 15424) and the add-on of two or five digits. Takes
    /// the number out of a GS1 element string. Reads digits that a scanner typed on a French keyboard. Returns other
    /// text as it is.
    static func reading(of text: String) -> String {
        var code = text.trimmed
        // Matching all of them would take a quarter of a sale, and most codes are shorter than what it looks for.
        let length = code.utf8.count
        let hasIdentifier = code.first == "]" && code.prefixMatch(of: /\][A-Za-z][0-9A-Za-z]./) != nil
        if hasIdentifier { code.removeFirst(3) }
        // A GS1 element string has the number after 01, then others: a date, a batch.
        if length >= 16, let match = code.prefixMatch(of: /\u{1D}?(?:\(01\)|01|https?:\/\/.*?\/01\/)([0-9]{14})/),
            hasIdentifier || !code.allSatisfy(\.isNumber) || code.count == 16, let barcode = try? Barcode(match.1)
        {
            return barcode.ean13
        }
        // A scanner types all digits without the shift key. So `2024-013` is a SKU.
        let digits = String(code.compactMap { keys[$0] })
        if digits.count == code.count, digits.count >= 8, isBarcode(digits) { code = digits }
        if length >= 14, let match = code.wholeMatch(of: /([0-9]{12,13}) ?([0-9]{5}|[0-9]{2})/), !isBarcode(code),
            isBarcode(String(match.1))
        {
            return String(match.1)
        }
        return code
    }

    /// Returns the barcode of a UPC-E whose first digit and check digit the scanner left out. Any six digits are one,
    /// so they may also be a SKU.
    static func shortBarcode(_ code: String) -> Barcode? {
        guard code.utf8.count == 6, code.utf8.allSatisfy(\.isDigit) else { return nil }
        // With another check digit, the eight digits may be an EAN-8.
        return (0...9).lazy.map { "0\(code)\($0)" }
            .compactMap { text in (try? Barcode(text)).flatMap { $0.ean13.hasSuffix(text) ? nil : $0 } }.first
    }

    /// Returns what may be wrong with a code that no record has, to continue a sentence.
    static func hint(for code: String) -> String {
        let meant = reading(of: code)
        if meant != code { return "; a scanner may have made it of \(meant)" }
        guard code.utf8.count >= 8, code.utf8.allSatisfy(\.isDigit) else { return "" }
        do throws(InvalidValue) {
            _ = try Barcode(code)
            return ""
        } catch {
            return "; it is no barcode either: \(error.reason)"
        }
    }

    private static func isBarcode(_ text: String) -> Bool { (try? Barcode(text)) != nil }
}

extension String {
    /// The number of copies and the code in `3 x LP-1`.
    var copies: (count: Int, code: String)? {
        let words = split(maxSplits: 2, whereSeparator: \.isWhitespace)
        guard words.count == 3, words[1].lowercased() == "x", let count = Int(words[0]) else { return nil }
        return (count, String(words[2]))
    }
}
