/// Where a text stands in another one, whatever of it is escaped there: `+` as JSON writes it, `\u002B`, or an address,
/// `%2b`, or XML, `&#43;`.
package enum EscapedText {
    private static let escapes: ByteSet = #"\%&"#

    package static func ranges(of part: String, in text: String) -> [Range<String.Index>] {
        let (part, bytes) = (Array(part.utf8), Array(text.utf8))
        var ranges: [Range<String.Index>] = []
        var start = 0
        while let first = part.first, start < bytes.count {
            if bytes[start] == first || escapes.contains(bytes[start]),
                let end = end(of: part[...], in: bytes[start...])
            {
                ranges.append(text.utf8.index(at: start)..<text.utf8.index(at: end))
                start = end
            } else {
                start += 1
            }
        }
        return ranges
    }

    /// Behind the part, if the text begins with it.
    private static func end(of part: ArraySlice<UInt8>, in text: ArraySlice<UInt8>) -> Int? {
        var (part, text) = (part, text)
        while let byte = part.first, let next = text.first {
            // The part itself may have an `&amp;` in it.
            if escapes.contains(next), let (character, after) = unescaped(text), part.starts(with: character),
                !part.starts(with: text[..<after])
            {
                (part, text) = (part.dropFirst(character.count), text[after...])
            } else if next == byte {
                (part, text) = (part.dropFirst(), text.dropFirst())
            } else {
                return nil
            }
        }
        return part.isEmpty ? text.startIndex : nil
    }

    /// The bytes of the escaped character that a text begins with, and where it ends.
    private static func unescaped(_ text: ArraySlice<UInt8>) -> (character: [UInt8], end: Int)? {
        let rest = text.dropFirst()
        switch text.first {
        case UInt8(ascii: "%"):
            return number(rest.prefix(2), digits: 2).map { ([UInt8($0)], rest.startIndex + 2) }
        case UInt8(ascii: "&"):
            guard let end = rest.prefix(10).firstIndex(of: UInt8(ascii: ";")),
                let scalar = referenced(String(decoding: rest[..<end], as: UTF8.self))
            else { return nil }
            return (Array(String(scalar).utf8), end + 1)
        case UInt8(ascii: "\\"):
            guard let kind = afterBackslashes(text), let sign = kind.first else { return nil }
            if #""/'"#.utf8.contains(sign) { return ([sign], kind.startIndex + 1) }
            guard let (unit, end) = unit(text) else {
                return rest.first == text.first ? ([UInt8(ascii: "\\")], rest.startIndex + 1) : nil
            }
            // The second half of what UTF-16 writes as two.
            let second = UTF16.isLeadSurrogate(unit) ? self.unit(text[end...]) : nil
            let units = [unit] + (second.map { [$0.unit] } ?? [])
            return (Array(String(decoding: units, as: UTF16.self).utf8), second?.end ?? end)
        default: return nil
        }
    }

    /// JSON in a string of JSON has several; a text of nothing else shall not be read from each to its end.
    private static func afterBackslashes(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let count = text.prefix(16).prefix { $0 == UInt8(ascii: "\\") }.count
        return count > 0 ? text.dropFirst(count) : nil
    }

    /// That of `\u002B`, and where it ends.
    private static func unit(_ text: ArraySlice<UInt8>) -> (unit: UInt16, end: Int)? {
        guard let rest = afterBackslashes(text), rest.first == UInt8(ascii: "u"),
            let number = number(rest.dropFirst().prefix(4), digits: 4)
        else { return nil }
        return (UInt16(number), rest.startIndex + 5)
    }

    private static func number(_ text: ArraySlice<UInt8>, digits: Int) -> Int? {
        text.count == digits ? String(decoding: text, as: UTF8.self)[...].number(radix: 16) : nil
    }

    /// What `amp`, `#43` and `#x2B` stand for.
    private static func referenced(_ name: String) -> Unicode.Scalar? {
        let named: [String: Unicode.Scalar] = ["amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'"]
        guard name.hasPrefix("#") else { return named[name] }
        let digits = name.dropFirst()
        let isHexadecimal = digits.first == "x" || digits.first == "X"
        let number = isHexadecimal ? digits.dropFirst().number(radix: 16) : digits.number()
        return number.flatMap { UInt32(exactly: $0) }.flatMap { Unicode.Scalar($0) }
    }
}

extension String.UTF8View {
    fileprivate func index(at offset: Int) -> Index {
        index(startIndex, offsetBy: offset)
    }
}
