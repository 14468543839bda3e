/// What scanners add to a barcode, or change in it.
enum ScannedCode {
    /// The digits of a French or Belgian keyboard without the shift key.
    private static let keys: [Character: Character] = [
        "&": "1", "é": "2", "\"": "3", "'": "4", "(": "5", "-": "6", "§": "6", "è": "7", "_": "8", "!": "8", "ç": "9",
        "à": "0",
    ]

    /// Returns the code that was meant.
    ///
    /// Leaves out the identifier of the symbology (`]E0`, ISO/IEC 15424) and the add-on of two or five digits. Reads
    /// digits that a scanner typed on a French keyboard. Returns other text as it is.
    static func reading(of text: String) -> String {
        var code = text.trimmed
        if code.prefixMatch(of: /\][A-Za-z][0-9A-Za-z]./) != nil { code.removeFirst(3) }
        // A scanner types all digits without the shift key. So `2024-013` is a SKU.
        let digits = String(code.compactMap { keys[$0] })
        if digits.count == code.count, digits.count >= 8, isBarcode(digits) { code = digits }
        if let match = code.wholeMatch(of: /([0-9]{12,13}) ?([0-9]{5}|[0-9]{2})/), !isBarcode(code),
            isBarcode(String(match.1))
        {
            return String(match.1)
        }
        return code
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
