/// The bars of a code: the widths of bars and spaces in turn, in modules. The first is a bar.
struct BarPattern: Sendable {
    private(set) var widths: [Int] = []

    /// The width of the whole.
    var modules: Int { widths.reduce(0, +) }

    /// Encodes a text in Code 128 (ISO/IEC 15417). Takes two digits for one character where that is shorter. Returns
    /// `nil` for a text with other characters than those of ASCII that print.
    static func code128(_ text: String) -> BarPattern? {
        var rest = Array(text.utf8)[...]
        guard !rest.isEmpty, rest.allSatisfy({ 0x20...0x7E ~= $0 }) else { return nil }
        // The values of set B, to which each code returns, and of set C.
        var values: [Int] = []
        var inPairs = false
        while !rest.isEmpty {
            let digits = rest.prefix(while: \.isDigit).count
            // A switch costs a character, and one back another.
            let isLong = digits >= (values.isEmpty || digits == rest.count ? 4 : 6)
            if inPairs ? digits < 2 : isLong && digits.isMultiple(of: 2) {
                inPairs.toggle()
                values.append(inPairs ? (values.isEmpty ? 105 : 99) : 100)
            } else if values.isEmpty {
                values.append(104)
            }
            if inPairs {
                values.append(rest.prefix(2).reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) })
                rest = rest.dropFirst(2)
            } else {
                values.append(Int(rest.removeFirst()) - 0x20)
            }
        }
        let check = values.enumerated().reduce(0) { $0 + max($1.offset, 1) * $1.element } % 103
        return BarPattern(widths: (values + [check, 106]).flatMap { characters[$0] })
    }

    /// Encodes a barcode as EAN-13. The first digit is in the sets of the six that follow.
    static func ean13(_ barcode: Barcode) -> BarPattern {
        let digits = barcode.ean13.utf8.map { Int($0 - UInt8(ascii: "0")) }
        let isMirrored = Array(parities[digits[0]])
        let left = zip(digits[1...6], isMirrored).flatMap { $1 == "G" ? eanDigits[$0].reversed() : eanDigits[$0] }
        return BarPattern(
            widths: [1, 1, 1] + left + [1, 1, 1, 1, 1] + digits[7...].flatMap { eanDigits[$0] } + [1, 1, 1])
    }

    private static func widths(_ text: String) -> [[Int]] {
        text.split(whereSeparator: \.isWhitespace).map { $0.compactMap(\.wholeNumberValue) }
    }

    private static let parities = [
        "LLLLLL", "LLGLGG", "LLGGLG", "LLGGGL", "LGLLGG", "LGGLLG", "LGGGLL", "LGLGLG", "LGLGGL", "LGGLGL",
    ]
    private static let eanDigits = widths("3211 2221 2122 1411 1132 1231 1114 1312 1213 3112")
    /// By their values. The last one ends a code.
    private static let characters = widths(
        """
        212222 222122 222221 121223 121322 131222 122213 122312 132212 221213 221312 231212 112232 122132 122231 113222
        123122 123221 223211 221132 221231 213212 223112 312131 311222 321122 321221 312212 322112 322211 212123 212321
        232121 111323 131123 131321 112313 132113 132311 211313 231113 231311 112133 112331 132131 113123 113321 133121
        313121 211331 231131 213113 213311 213131 311123 311321 331121 312113 312311 332111 314111 221411 431111 111224
        111422 121124 121421 141122 141221 112214 112412 122114 122411 142112 142211 241211 221114 413111 241112 134111
        111242 121142 121241 114212 124112 124211 411212 421112 421211 212141 214121 412121 111143 111341 131141 114113
        114311 411113 411311 113141 114131 311141 411131 211412 211214 211232 2331112
        """)
}
