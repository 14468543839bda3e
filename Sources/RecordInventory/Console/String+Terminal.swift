extension String {
    /// The string on one line, safe for a terminal. Escapes characters that move the cursor, change colors, break the
    /// line or change the direction, as `\n` or `\u001b`.
    var escapedForTerminal: String { escaped() }

    /// The string as a field of a tab-separated line. Escapes backslashes too, so that each escape can be read back.
    var escapedForTabs: String { escaped(alsoBackslash: true) }

    /// Lines that are safe for a terminal, such as those of JSON.
    var escapedLines: String { escaped(keepingLines: true) }

    private func escaped(alsoBackslash: Bool = false, keepingLines: Bool = false) -> String {
        guard unicodeScalars.contains(where: { $0.isUnsafeToShow || (alsoBackslash && $0 == "\\") }) else {
            return self
        }
        return unicodeScalars.reduce(into: "") { text, scalar in
            switch scalar {
            case "\n": text += keepingLines ? "\n" : "\\n"
            case "\t": text += "\\t"
            case "\r": text += "\\r"
            case "\\" where alsoBackslash: text += "\\\\"
            case _ where scalar.isUnsafeToShow: text += scalar.escape
            default: text.unicodeScalars.append(scalar)
            }
        }
    }
}

extension Unicode.Scalar {
    /// Whether the character is a control, a line separator or a mark that changes the direction of what follows.
    fileprivate var isUnsafeToShow: Bool {
        switch value {
        case 0x00...0x1F, 0x7F...0x9F, 0x2028...0x2029, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }

    fileprivate var escape: String {
        let digits = String(value, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
}

extension String {
    /// The number of columns in a terminal: two for a character of East Asian width or an emoji, none for a combining
    /// mark.
    var displayWidth: Int {
        utf8.allSatisfy { $0 < 0x80 } ? utf8.count : reduce(0) { $0 + $1.displayWidth }
    }

    /// Returns the string, cut to fit with an ellipsis.
    func truncated(toWidth limit: Int) -> String {
        guard displayWidth > limit else { return self }
        var kept = ""
        var width = 1
        for character in self {
            width += character.displayWidth
            if width > limit { break }
            kept.append(character)
        }
        return kept + "…"
    }
}

extension Character {
    var displayWidth: Int {
        // Variation selector 16 turns a symbol into an emoji, which is wide. A flag is two narrow letters.
        if unicodeScalars.count > 1, unicodeScalars.contains(where: { $0 == "\u{FE0F}" }) { return 2 }
        return unicodeScalars.lazy.map(\.displayWidth).max() ?? 0
    }
}

extension Unicode.Scalar {
    fileprivate var displayWidth: Int {
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .control, .lineSeparator, .paragraphSeparator: 0
        default: isWide || properties.isEmojiPresentation ? 2 : 1
        }
    }

    /// Whether East_Asian_Width is W or F (Unicode Standard Annex 11), by block.
    private var isWide: Bool {
        switch value {
        case 0..<0x1100: false
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97F,
            0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
            0x16FE0...0x18CFF, 0x1AFF0...0x1B2FF, 0x1F1E6...0x1F1FF, 0x20000...0x2FFFD, 0x30000...0x3FFFD:
            true
        default: false
        }
    }
}
