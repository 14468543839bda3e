extension Substring {
    /// Without the spaces and tabs at either end: what HTTP calls optional white space.
    var trimmed: Substring {
        var rest = self
        while let first = rest.first, first == " " || first == "\t" { rest.removeFirst() }
        while let last = rest.last, last == " " || last == "\t" { rest.removeLast() }
        return rest
    }

    /// The parts that stand between any of these characters of ASCII, empty ones too.
    func parts(between separators: String) -> [Substring] {
        var parts: [Substring] = []
        var start = startIndex
        var index = startIndex
        while index < endIndex {
            let next = utf8.index(after: index)
            if separators.utf8.contains(utf8[index]) {
                parts.append(self[start..<index])
                start = next
            }
            index = next
        }
        parts.append(self[start...])
        return parts
    }

    /// The parts that stand between this character of ASCII, trimmed; not where it is quoted (RFC 9110 section 5.6.4).
    func parts(betweenUnquoted separator: Character) -> [Substring] {
        var parts: [Substring] = []
        var rest = self
        while let end = rest.firstUnquoted(separator) {
            parts.append(rest[..<end].trimmed)
            rest = rest[rest.utf8.index(after: end)...]
        }
        return parts + [rest.trimmed]
    }

    /// Where this character of ASCII stands first outside quotes.
    func firstUnquoted(_ character: Character) -> Index? {
        let sought = character.asciiValue
        var (quoted, escaped) = (false, false)
        for index in utf8.indices {
            switch utf8[index] {
            case _ where escaped: escaped = false
            case UInt8(ascii: "\\") where quoted: escaped = true
            case UInt8(ascii: "\""): quoted.toggle()
            case sought where !quoted: return index
            default: break
            }
        }
        return nil
    }

    /// Without the quotes around it; nil for nothing, and for what is quoted and does not end with its quotes.
    var unquoted: String? {
        guard first == "\"" else { return isEmpty ? nil : String(self) }
        var rest = dropFirst()
        var result = ""
        while let character = rest.popFirst() {
            switch character {
            case "\"": return rest.isEmpty ? result : nil
            case "\\": result += rest.popFirst().map { String($0) } ?? ""
            default: result.append(character)
            }
        }
        return nil
    }

    /// The number that ASCII digits and nothing else make; nil when there are none, or too many for it.
    func number(radix: Int = 10) -> Int? {
        var number = 0
        for byte in utf8 {
            let digit: UInt8
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte - UInt8(ascii: "A") + 10
            default: return nil
            }
            let (product, isTooLarge) = number.multipliedReportingOverflow(by: radix)
            let (sum, isTooLargeNow) = product.addingReportingOverflow(Int(digit))
            if digit >= radix || isTooLarge || isTooLargeNow { return nil }
            number = sum
        }
        return isEmpty ? nil : number
    }
}
