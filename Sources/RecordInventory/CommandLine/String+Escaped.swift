extension String {
    /// One line that a terminal can only show: characters that would move the cursor, change colours, break the line or
    /// turn the direction of reading appear as escapes such as `\n` or `\u001b`.
    var escapedForTerminal: String { escaped(alsoBackslash: false) }

    /// One field of a tab-separated line: the same, and a backslash is doubled, so that each escape can be read back.
    var escapedForTabs: String { escaped(alsoBackslash: true) }

    /// JSON that a terminal can only show: line ends between its tokens stay, what stands raw in a string is escaped.
    var escapedForTerminalJSON: String {
        guard unicodeScalars.contains(where: { $0.isUnsafeToShow && $0 != "\n" }) else { return self }
        return unicodeScalars.reduce(into: "") { text, scalar in
            if scalar.isUnsafeToShow, scalar != "\n" {
                text += scalar.escape
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
    }

    private func escaped(alsoBackslash: Bool) -> String {
        guard unicodeScalars.contains(where: { $0.isUnsafeToShow || (alsoBackslash && $0 == "\\") }) else {
            return self
        }
        return unicodeScalars.reduce(into: "") { text, scalar in
            switch scalar {
            case "\n": text += "\\n"
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
    /// Controls of C0 and C1, separators of lines, and the marks that turn the direction of what follows.
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
