/// The values in a JSON text that stand under a secret name.
///
/// It reads what is no whole JSON as well: a body cut short, lines of JSON, JSON in the data of an event. A secret
/// without an end reaches to the end of the text.
struct JSONSecrets {
    private(set) var found: [SecretPlace] = []
    private let bytes: [UInt8]
    private let names: SecretNames

    init(_ text: [UInt8], _ names: SecretNames) {
        self.init(text, names, depth: 0)
    }

    private init(_ bytes: [UInt8], _ names: SecretNames, depth: Int) {
        self.bytes = bytes
        self.names = names
        var index = 0
        while index < bytes.count {
            guard bytes[index] == UInt8(ascii: "\"") else {
                index += 1
                continue
            }
            let content = index + 1
            let end = endOfString(from: content)
            let colon = skipSpace(from: end + 1)
            if colon < bytes.count, bytes[colon] == UInt8(ascii: ":") {
                let name = Self.unescaped(bytes[content..<end])
                index = colon + 1
                if names.isSecret(name) { index = addValue(from: index, name) }
            } else {
                addText(content..<end, depth)
                index = end + 1
            }
        }
    }

    /// Adds the value that begins here, and returns where it ends. What is true, false or null tells nothing.
    private mutating func addValue(from start: Int, _ name: String) -> Int {
        let start = skipSpace(from: start)
        guard start < bytes.count else { return start }
        switch bytes[start] {
        case UInt8(ascii: "\""):
            let end = endOfString(from: start + 1)
            if end > start + 1 { found.append(SecretPlace(range: start + 1..<end, name: name)) }
            return end + 1
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            let end = endOfContainer(from: start)
            found.append(SecretPlace(range: start..<end, name: name))
            return end
        default:
            let end = bytes[start...].firstIndex { ",}] \t\r\n".utf8.contains($0) } ?? bytes.count
            let isWord = ["true", "false", "null"].contains { bytes[start..<end].elementsEqual($0.utf8) }
            if !isWord, end > start { found.append(SecretPlace(range: start..<end, name: name)) }
            return max(end, start + 1)
        }
    }

    /// A string may hold JSON itself; with a secret in that, all of the string is one.
    private mutating func addText(_ range: Range<Int>, _ depth: Int) {
        guard depth < 4, bytes[range].contains(UInt8(ascii: "\\")) else { return }
        let inner = JSONSecrets(Array(Self.unescaped(bytes[range]).utf8), names, depth: depth + 1)
        if let secret = inner.found.first { found.append(SecretPlace(range: range, name: secret.name)) }
    }

    private func skipSpace(from start: Int) -> Int {
        var index = start
        while index < bytes.count, " \t\r\n".utf8.contains(bytes[index]) { index += 1 }
        return index
    }

    /// Where the closing quotation mark is, or the end.
    private func endOfString(from start: Int) -> Int {
        var index = start
        while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
            index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        return min(index, bytes.count)
    }

    /// Behind the closing bracket, or the end.
    private func endOfContainer(from start: Int) -> Int {
        var (index, depth) = (start, 0)
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\""): index = endOfString(from: index + 1)
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                if depth == 0 { return index + 1 }
            default: break
            }
            index += 1
        }
        return bytes.count
    }

    private static func unescaped(_ bytes: ArraySlice<UInt8>) -> String {
        guard bytes.contains(UInt8(ascii: "\\")) else { return String(decoding: bytes, as: UTF8.self) }
        var units: [UInt16] = []
        var rest = Array(String(decoding: bytes, as: UTF8.self).utf16)[...]
        while let unit = rest.popFirst() {
            guard unit == 0x5C, let escaped = rest.popFirst() else {
                units.append(unit)
                continue
            }
            if escaped == 0x75 {
                let digits = String(decoding: rest.prefix(4), as: UTF16.self)[...]
                units.append(UInt16(digits.number(radix: 16) ?? 0xFFFD))
                rest = rest.dropFirst(4)
            } else {
                units.append(escaped)
            }
        }
        return String(decoding: units, as: UTF16.self)
    }
}
