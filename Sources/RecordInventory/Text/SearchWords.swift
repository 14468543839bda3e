import Foundation

/// Folds text for search: words without case, accents and width.
///
/// `AC/DC` has the words `ac`, `dc` and `acdc`. `&` and a lone `+` are the word `and`.
enum SearchWords {
    /// The maximum number of code points in a word. Longer words are cut, in the text and in what is searched for.
    static let maximumLength = 64

    /// Returns the words of a text: those that letters and digits form, and each part between spaces as one.
    static func words(of text: String) -> [String] {
        chunks(of: text).flatMap { pieces in
            pieces.count > 1 ? pieces + [cut(pieces.joined())] : pieces
        }
    }

    /// Returns all letters and digits of a text as one word: `tplp51` for `TPLP 51`.
    static func joined(_ text: String) -> String {
        cut(chunks(of: text).joined().joined())
    }

    /// Returns the parts of a text between spaces, each as the words in it.
    static func chunks(of text: String) -> [[String]] {
        // Most text has one word of ASCII after another. This takes a third of the time.
        if text.utf8.allSatisfy({ $0.isAlphanumeric || $0 == UInt8(ascii: " ") }) {
            return text.lowercased().utf8.split(separator: UInt8(ascii: " ")).map { [cut(String(Substring($0)))] }
        }
        var chunks: [[String]] = []
        var pieces: [String] = []
        var word = String.UnicodeScalarView()
        var symbol: Unicode.Scalar?
        func endWord() {
            if !word.isEmpty { pieces.append(cut(String(word))) }
            word = String.UnicodeScalarView()
        }
        func endChunk() {
            endWord()
            if pieces.isEmpty, symbol == "&" || symbol == "+" { pieces = ["and"] }
            if !pieces.isEmpty { chunks.append(pieces) }
            pieces = []
            symbol = nil
        }
        for scalar in folded(text).unicodeScalars {
            if scalar.isWordPart {
                word.append(scalar)
            } else if scalar.properties.isWhitespace {
                endChunk()
            } else {
                endWord()
                symbol = scalar
            }
        }
        endChunk()
        return chunks
    }

    /// Returns the text in small letters, without accents, in the usual width.
    static func folded(_ text: String) -> String {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.lowercased() }
        var folded = ""
        for scalar in text.decomposedStringWithCompatibilityMapping.lowercased().unicodeScalars {
            switch scalar.properties.generalCategory {
            case .nonspacingMark, .enclosingMark: continue
            default: break
            }
            if let plain = letters[scalar] { folded += plain } else { folded.unicodeScalars.append(scalar) }
        }
        return folded
    }

    private static func cut(_ word: String) -> String {
        word.utf8.count > maximumLength && word.unicodeScalars.count > maximumLength
            ? String(word.unicodeScalars.prefix(maximumLength)) : word
    }

    /// Letters that Unicode does not decompose, as people type them.
    private static let letters: [Unicode.Scalar: String] = [
        "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ß": "ss", "æ": "ae", "œ": "oe", "ħ": "h", "ı": "i",
        "ŧ": "t", "ŋ": "n",
    ]
}

extension Unicode.Scalar {
    fileprivate var isWordPart: Bool {
        switch value {
        case 0x30...0x39, 0x61...0x7A: true
        case 0..<0x80: false
        default: properties.isAlphabetic || properties.numericType != nil
        }
    }
}

/// What was typed after `--search`: words in any order. Each is the beginning of a word in the record.
struct SearchQuery: Equatable, Sendable {
    let text: String
    /// The words that must all be found. Of each, one of the alternatives, with all of its parts.
    private let terms: [[[String]]]
    /// The words of which one is enough: all letters and digits as one word, and the barcode.
    private let whole: [String]

    init(_ text: String, barcode: String? = nil) {
        self.text = text
        // More words find nothing, and make statements that take long.
        terms = SearchWords.chunks(of: text).prefix(100).map { pieces in
            pieces.count > 1 ? [pieces, [SearchWords.joined(pieces.joined())]] : [pieces]
        }
        whole = (terms.count > 1 ? [SearchWords.joined(text)] : []) + [barcode].compactMap(\.self)
    }

    /// Whether there are no letters or digits to search for.
    var hasNoWords: Bool { terms.isEmpty }

    /// Returns whether a record has these words.
    func matches(_ words: [String]) -> Bool {
        func isFound(_ prefix: String) -> Bool { words.contains { $0.hasPrefix(prefix) } }
        return whole.contains(where: isFound)
            || terms.allSatisfy { $0.contains { $0.allSatisfy(isFound) } }
    }

    /// The query for SQLite's FTS5. Words have no quotation marks.
    var match: String {
        func all(_ parts: [String]) -> String { parts.map { "\"\($0)\"*" }.joined(separator: " AND ") }
        let words = terms.map { "(" + $0.map { "(\(all($0)))" }.joined(separator: " OR ") + ")" }
            .joined(separator: " AND ")
        return ([words] + whole.map { all([$0]) }).joined(separator: " OR ")
    }
}
