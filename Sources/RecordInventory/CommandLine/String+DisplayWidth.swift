extension String {
    /// How many columns a terminal takes to show it: two for a character of East Asian width or an emoji, none for a
    /// mark that combines with the one before it.
    var displayWidth: Int {
        utf8.allSatisfy { $0 < 0x80 } ? utf8.count : reduce(0) { $0 + $1.displayWidth }
    }

    /// The text, or as much of it as fits beside an ellipsis.
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
        // A text symbol becomes an emoji, and so wide, by variation selector 16; a flag is two narrow letters.
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

    /// East_Asian_Width W or F (Unicode Standard Annex 11), by block.
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
