/// Text of a stranger's, made fit for a terminal.
enum PlainText {
    /// Control characters are spelled out, so that none reaches a terminal; line ends and tabs only on one line.
    static func printable(_ text: String, onOneLine: Bool) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            if isControl(scalar), onOneLine || scalar != "\n" && scalar != "\t" {
                result += "\\u{\(String(scalar.value, radix: 16))}"
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// The same on one line, and no longer than a person reads: what a message quotes.
    static func quotable(_ text: String) -> String {
        let start = String(String.UnicodeScalarView(text.unicodeScalars.prefix(1000)))
        return printable(start, onOneLine: true) + (start.utf8.count < text.utf8.count ? "…" : "")
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<32, 127..<160: true
        // What turns the direction of writing, and what ends a line elsewhere.
        case 0x200E, 0x200F, 0x2028, 0x2029, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
