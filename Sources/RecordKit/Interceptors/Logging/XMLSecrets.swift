/// The contents of elements and the values of attributes in an XML text that have a secret name.
struct XMLSecrets {
    private(set) var found: [SecretPlace] = []
    private let bytes: [UInt8]
    private let names: SecretNames

    init(_ text: [UInt8], _ names: SecretNames) {
        bytes = text
        self.names = names
        var index = 0
        // In a property list a key names the element behind it.
        var key: String?
        while let start = bytes[index...].firstIndex(of: UInt8(ascii: "<")) {
            index = start + 1
            let name = name(from: index)
            // A comment, a declaration or marked text may hold elements too.
            if name.isEmpty { continue }
            let end = endOfTag(from: index)
            addAttributes(in: index + name.count..<max(end, index + name.count))
            index = end
            let label = key ?? Self.local(name)
            key = nil
            if label == "key" {
                let text = bytes[end...].prefix { $0 != UInt8(ascii: "<") }
                let name = String(decoding: text, as: UTF8.self).lowercased()
                if names.isSecret(name) { key = name }
            }
            guard bytes[..<end].dropLast().last != UInt8(ascii: "/"), names.isSecret(label) else { continue }
            index = endOfContent(from: end, name)
            if index > end { found.append(SecretPlace(range: end..<index, name: label)) }
        }
    }

    /// Without its prefix, in lower case.
    private static func local(_ name: ArraySlice<UInt8>) -> String {
        var local = name
        while local.last == UInt8(ascii: ":") { local.removeLast() }
        if let colon = local.lastIndex(of: UInt8(ascii: ":")) { local = local[(colon + 1)...] }
        return String(decoding: local, as: UTF8.self).lowercased()
    }

    private func name(from start: Int) -> ArraySlice<UInt8> {
        bytes[min(start, bytes.count)...].prefix { !" \t\r\n/>!?=\"'<".utf8.contains($0) }
    }

    /// Behind the `>` of a tag; quotation marks may hide one.
    private func endOfTag(from start: Int) -> Int {
        var quote: UInt8?
        for index in start..<max(start, bytes.count) {
            let byte = bytes[index]
            if let open = quote {
                if byte == open { quote = nil }
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            } else if byte == UInt8(ascii: ">") {
                return index + 1
            }
        }
        return bytes.count
    }

    private mutating func addAttributes(in range: Range<Int>) {
        var index = range.lowerBound
        while index < range.upperBound {
            let name = name(from: index)
            guard !name.isEmpty else {
                index += 1
                continue
            }
            index += name.count
            while index < range.upperBound, " \t\r\n=".utf8.contains(bytes[index]) { index += 1 }
            guard index < range.upperBound, bytes[index] == UInt8(ascii: "\"") || bytes[index] == UInt8(ascii: "'")
            else { continue }
            let value = index + 1
            let end = bytes[value..<range.upperBound].firstIndex(of: bytes[index]) ?? range.upperBound
            if end > value, names.isSecret(Self.local(name)) {
                found.append(SecretPlace(range: value..<end, name: Self.local(name)))
            }
            index = end + 1
        }
    }

    /// Where the end tag of this element begins, or the end; elements of the same name may lie within.
    private func endOfContent(from start: Int, _ name: ArraySlice<UInt8>) -> Int {
        var (index, depth) = (start, 1)
        while let open = bytes[min(index, bytes.count)...].firstIndex(of: UInt8(ascii: "<")) {
            let isEnd = open + 1 < bytes.count && bytes[open + 1] == UInt8(ascii: "/")
            let end = endOfTag(from: open + 1)
            if self.name(from: open + (isEnd ? 2 : 1)) == name {
                let isEmpty = bytes[..<end].dropLast().last == UInt8(ascii: "/")
                depth += isEnd ? -1 : isEmpty ? 0 : 1
                if depth == 0 { return open }
            }
            index = end
        }
        return bytes.count
    }
}
