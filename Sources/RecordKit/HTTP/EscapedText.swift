/// A text without what escapes its characters, as JSON does, `\u002B`, or an address, `%2b`, or XML, `&#43;`, so that it
/// is found in another one whatever of either is escaped.
package struct EscapedText {
    private var bytes: [UInt8]
    /// Where each byte stands in the text, and at last the text's end.
    private var places: [Int]

    /// A text within a text is escaped twice; what comes from a server is not read for ever.
    private static let rounds = 4

    private init(_ text: String) {
        bytes = Array(text.utf8)
        places = Array(0...bytes.count)
    }

    /// In order, none within another. Takes a time that grows with the two lengths and not with their product: a server
    /// may have made both texts.
    ///
    /// - Parameter isCut: whether the text may end within the part: its beginning counts then, of at least three bytes.
    package static func ranges(of part: String, in text: String, isCut: Bool = false) -> [Range<String.Index>] {
        var whole = EscapedText(text)
        var sought = EscapedText(part)
        var found = whole.places(of: sought, isCut: isCut)
        // After each round, as in the next the part's own percent sign may seem to escape what follows it.
        for _ in 0..<rounds where whole.unescape() { found += whole.places(of: sought, isCut: isCut) }
        for _ in 0..<rounds { sought.unescape() }
        found += whole.places(of: sought, isCut: isCut)
        var ranges: [Range<Int>] = []
        for range in found.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = ranges.last, range.lowerBound < last.upperBound {
                ranges[ranges.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
            } else {
                ranges.append(range)
            }
        }
        return ranges.map { text.utf8.index(at: $0.lowerBound)..<text.utf8.index(at: $0.upperBound) }
    }

    /// Where in the text it stands that was escaped.
    private func places(of sought: EscapedText, isCut: Bool) -> [Range<Int>] {
        ranges(of: sought.bytes, isCut: isCut).map { places[$0.lowerBound]..<places[$0.upperBound] }
    }

    /// The way of Knuth, Morris and Pratt, which looks at no byte of the text a second time.
    private func ranges(of sought: [UInt8], isCut: Bool) -> [Range<Int>] {
        // Of each beginning of what is sought the longest shorter one that it ends with.
        var borders: [Int] = []
        func matched(_ length: Int, _ byte: UInt8) -> Int {
            var length = length
            while length > 0, sought[length] != byte { length = borders[length - 1] }
            return sought[length] == byte ? length + 1 : 0
        }
        for byte in sought { borders.append(borders.isEmpty ? 0 : matched(borders[borders.count - 1], byte)) }

        // A character in its escaped form may be cut, too; none is longer than an emoji in JSON.
        let tail = isCut ? bytes.count - 11 : bytes.count
        var ranges: [Range<Int>] = []
        var length = 0
        var rest: Range<Int>?
        for (index, byte) in bytes.enumerated() where !sought.isEmpty {
            if index >= tail, rest == nil, length >= 3, Self.marks.contains(byte) {
                rest = index - length..<bytes.count
            }
            length = matched(length, byte)
            if length < sought.count { continue }
            ranges.append(index + 1 - length..<index + 1)
            (length, rest) = (0, nil)
        }
        if isCut, length >= 3 { rest = bytes.count - length..<bytes.count }
        return ranges + [rest].compactMap(\.self)
    }

    /// Whether anything was escaped.
    @discardableResult
    private mutating func unescape() -> Bool {
        guard bytes.contains(where: Self.marks.contains) else { return false }
        var plain = self
        plain.bytes.removeAll(keepingCapacity: true)
        plain.places.removeAll(keepingCapacity: true)
        var index = 0
        while index < bytes.count {
            if Self.marks.contains(bytes[index]), let (character, end) = Self.character(in: bytes[index...]) {
                plain.bytes += character
                plain.places += repeatElement(places[index], count: character.count)
                index = end
            } else {
                plain.bytes.append(bytes[index])
                plain.places.append(places[index])
                index += 1
            }
        }
        let isEscaped = plain.bytes.count < bytes.count
        plain.places.append(places[bytes.count])
        self = plain
        return isEscaped
    }

    private static let marks: ByteSet = #"\%&"#

    /// The character that a text begins with in its escaped form, and where that ends.
    private static func character(in text: ArraySlice<UInt8>) -> (bytes: [UInt8], end: Int)? {
        let rest = text.dropFirst()
        switch text.first {
        case UInt8(ascii: "%"):
            return number(rest.prefix(2), digits: 2).map { ([UInt8($0)], rest.startIndex + 2) }
        case UInt8(ascii: "&"):
            guard let end = rest.prefix(10).firstIndex(of: UInt8(ascii: ";")),
                let scalar = referenced(String(decoding: rest[..<end], as: UTF8.self))
            else { return nil }
            return (Array(String(scalar).utf8), end + 1)
        default:
            if let sign = rest.first, #"\"/'"#.utf8.contains(sign) { return ([sign], rest.startIndex + 1) }
            guard let (unit, end) = unit(text) else { return nil }
            guard UTF16.isLeadSurrogate(unit) else {
                return (Array(String(decoding: [unit], as: UTF16.self).utf8), end)
            }
            // The second half of what UTF-16 writes as two.
            guard let second = self.unit(text[end...]) else { return nil }
            return (Array(String(decoding: [unit, second.unit], as: UTF16.self).utf8), second.end)
        }
    }

    /// That of `\u002B`, and where it ends.
    private static func unit(_ text: ArraySlice<UInt8>) -> (unit: UInt16, end: Int)? {
        guard text.starts(with: #"\u"#.utf8), let number = number(text.dropFirst(2).prefix(4), digits: 4) else {
            return nil
        }
        return (UInt16(number), text.startIndex + 6)
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
