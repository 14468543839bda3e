/// A value whose description is its `text`.
protocol TextConvertible: CustomStringConvertible {
    /// The description of the value. It contains no sensitive value.
    var text: String { get }
}

extension TextConvertible {
    /// A string that describes the value. It contains no sensitive value.
    public var description: String { text }
}

/// A value that `print`, `dump` and the debugger show with sensitive values redacted.
protocol SelfDescribing: TextConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The members that `dump` and the debugger show, with sensitive values redacted.
    var shown: [(name: String, value: Any)] { get }
}

extension SelfDescribing {
    /// The same as `description`.
    public var debugDescription: String { text }

    /// The members of the value, with sensitive values redacted.
    public var customMirror: Mirror {
        Mirror(self, children: shown.map { (label: $0.name, value: $0.value) }, displayStyle: .struct)
    }
}

/// Makes untrusted strings safe to print on a terminal.
enum PlainText {
    /// Returns a string with its control characters escaped. Line feeds and tabs are escaped only if `onOneLine` is
    /// true.
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

    /// Returns the first 1,000 characters of a string on one line, to be quoted in a message.
    static func quotable(_ text: String) -> String {
        let start = String(String.UnicodeScalarView(text.unicodeScalars.prefix(1000)))
        return printable(start, onOneLine: true) + (start.utf8.count < text.utf8.count ? "…" : "")
    }

    /// Returns whether a character changes how the rest of a line is displayed.
    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<32, 127..<160: true
        // Bidirectional formatting characters, and the line and paragraph separators.
        case 0x200E, 0x200F, 0x2028, 0x2029, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
