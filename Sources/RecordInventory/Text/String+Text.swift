extension String {
    /// The string for a message or a terminal: on one line, without control characters.
    var printable: String {
        var printable = ""
        for scalar in unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: printable += "·"
            default: printable.unicodeScalars.append(scalar)
            }
        }
        return printable
    }

    /// The string as one word of a shell.
    var quotedForShell: String { "'" + replacing("'", with: #"'\''"#) + "'" }

    /// The first 60 code points, printable.
    var shown: String {
        let rest = unicodeScalars.dropFirst(60)
        return rest.isEmpty ? printable : String(unicodeScalars.prefix(60)).printable + "…"
    }

    /// When to try again, by the value of Retry-After: seconds or a date (RFC 9110 section 10.2.3).
    var retryTime: String { Int(self).map { "in \($0) s" } ?? "after \(self)" }
}

extension StringProtocol {
    /// The string without white space at both ends.
    var trimmed: String { isTight ? String(self) : trimmed { $0.isWhitespace } }

    /// Whether the string is known to begin and end with a visible ASCII character, as most do.
    var isTight: Bool {
        guard let first = unicodeScalars.first?.value, let last = last?.unicodeScalars.last?.value else { return true }
        return 0x21...0x7E ~= first && 0x21...0x7E ~= last
    }

    /// Returns the string without matching characters at both ends.
    func trimmed(where isOuter: (Character) -> Bool) -> String {
        guard let first = firstIndex(where: { !isOuter($0) }), let last = lastIndex(where: { !isOuter($0) })
        else { return "" }
        return String(self[first...last])
    }
}

extension Int {
    /// Returns the number with its noun: `1 record`, `2 records`.
    ///
    /// - Parameter plural: The plural if it does not end in just an s.
    func counted(_ noun: String, _ plural: String? = nil) -> String {
        "\(self) \(self == 1 ? noun : plural ?? noun + "s")"
    }
}

extension Array {
    /// Returns the position of the first element that matches. Appends one if there is none.
    mutating func place(of new: @autoclosure () -> Element, where isWanted: (Element) -> Bool) -> Int {
        if let place = firstIndex(where: isWanted) { return place }
        append(new())
        return count - 1
    }

    /// Returns the elements in portions of at most a size. A larger element is a portion by itself.
    ///
    /// - Parameter own: Returns the size of an element.
    func chunks(of size: Int, own: (Element) -> Int = { _ in 1 }) -> [ArraySlice<Element>] {
        var chunks: [ArraySlice<Element>] = []
        var (start, sum) = (0, 0)
        for (index, element) in enumerated() {
            let own = own(element)
            if index > start, sum + own > size {
                chunks.append(self[start..<index])
                (start, sum) = (index, 0)
            }
            sum += own
        }
        return isEmpty ? [] : chunks + [self[start...]]
    }
}

extension UInt8 {
    /// Whether the byte is an ASCII digit.
    var isDigit: Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= self }

    /// Whether the byte is an ASCII letter or digit.
    var isAlphanumeric: Bool {
        isDigit || UInt8(ascii: "a")...UInt8(ascii: "z") ~= self | 0x20
    }
}
