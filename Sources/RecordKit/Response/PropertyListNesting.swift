import Foundation

/// How deep a property list nests.
///
/// `PropertyListDecoder` recurses for each level without a limit, and some 16,000 end the process on Linux
/// (Swift 6.3.1).
enum PropertyListNesting {
    /// As many levels as Foundation reads of JSON.
    static let limit = 512

    static func isTooDeep(_ data: Data) -> Bool {
        let bytes = [UInt8](data)
        if bytes.starts(with: "bplist".utf8) { return BinaryPropertyList(bytes)?.isTooDeep(limit) ?? false }
        guard let encoding = wideEncoding(bytes) else { return isTooDeep(xml: bytes) }
        return isTooDeep(xml: Array((String(data: data, encoding: encoding) ?? "").utf8))
    }

    /// The encodings that Foundation reads beside UTF-8, by their byte-order marks.
    private static func wideEncoding(_ bytes: [UInt8]) -> String.Encoding? {
        if bytes.starts(with: [0, 0, 0xFE, 0xFF]) || bytes.starts(with: [0xFE, 0xFF, 0, 0]) { return .utf32 }
        return bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE]) ? .utf16 : nil
    }

    /// Counts the elements that are open at once, of those that hold others. What is malformed is left to the decoder,
    /// which stops there.
    private static func isTooDeep(xml bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        var depth = 0
        while let tag = rest.firstIndex(of: UInt8(ascii: "<")) {
            rest = rest[tag...]
            if rest.starts(with: "<!--".utf8) {
                rest = skipped(rest.dropFirst(4), past: "-->")
            } else if rest.starts(with: "<![CDATA[".utf8) {
                rest = skipped(rest, past: "]]>")
            } else if rest.starts(with: "<?".utf8) {
                rest = skipped(rest, past: "?>")
            } else if rest.dropFirst().first == UInt8(ascii: "/") {
                rest = rest.dropFirst(2)
                if beginsContainer(rest) { depth = max(0, depth - 1) }
            } else {
                rest = rest.dropFirst()
                guard beginsContainer(rest) else { continue }
                guard let end = rest.firstIndex(of: UInt8(ascii: ">")) else { return false }
                if bytes[end - 1] != UInt8(ascii: "/") { depth += 1 }
                // One more: the element `plist` itself.
                if depth > limit + 1 { return true }
                rest = rest[end...]
            }
        }
        return false
    }

    private static func beginsContainer(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.starts(with: "array".utf8) || bytes.starts(with: "dict".utf8) || bytes.starts(with: "plist".utf8)
    }

    private static func skipped(_ bytes: ArraySlice<UInt8>, past end: StaticString) -> ArraySlice<UInt8> {
        let mark = UnsafeBufferPointer(start: end.utf8Start, count: end.utf8CodeUnitCount)
        var rest = bytes
        while let index = rest.firstIndex(of: mark[0]) {
            rest = rest[index...]
            if rest.starts(with: mark) { return rest.dropFirst(mark.count) }
            rest = rest.dropFirst()
        }
        return []
    }
}

/// The table of a binary property list, of which the containers alone are read.
private struct BinaryPropertyList {
    private let bytes: [UInt8]
    private let offsetSize: Int
    private let referenceSize: Int
    private let count: Int
    private let top: Int
    private let table: Int

    /// `nil` if the trailer is none, which the decoder refuses too.
    init?(_ bytes: [UInt8]) {
        guard bytes.count >= 40 else { return nil }
        self.bytes = bytes
        let trailer = bytes.count - 32
        (offsetSize, referenceSize) = (Int(bytes[trailer + 6]), Int(bytes[trailer + 7]))
        func number(_ place: Int) -> Int? { Self.number(bytes, at: trailer + place, size: 8) }
        guard let count = number(8), let top = number(16), let table = number(24),
            offsetSize > 0, referenceSize > 0, count <= bytes.count, top < count
        else { return nil }
        (self.count, self.top, self.table) = (count, top, table)
    }

    /// Whether some chain of references from the top object is longer than `limit`, or comes back to where it was.
    /// Looks at each object once, and gives up on more references than the file has bytes.
    func isTooDeep(_ limit: Int) -> Bool {
        // Unknown, 0 while its members are looked at, or the levels from the object down.
        var levels = [Int?](repeating: nil, count: count)
        var path: [(object: Int, members: [Int], next: Int)] = []
        var unread = bytes.count
        var entered: Int? = top
        while true {
            if let object = entered {
                levels[object] = 0
                path.append((object, members(of: object), 0))
                unread -= path[path.count - 1].members.count
                // One more: the object at the end of a chain, which need be no container.
                if path.count > limit + 1 || unread < 0 { return true }
                entered = nil
            }
            guard let (object, members, next) = path.last else { return false }
            if next < members.count {
                path[path.count - 1].next += 1
                if levels[members[next]] == 0 { return true }
                if levels[members[next]] == nil { entered = members[next] }
            } else {
                path.removeLast()
                let height = 1 + members.reduce(0) { max($0, levels[$1] ?? 0) }
                if height > limit + 1 { return true }
                levels[object] = height
            }
        }
    }

    /// The objects that an array, a set or a dictionary refers to. None for what the decoder refuses.
    private func members(of object: Int) -> [Int] {
        guard let place = Self.number(bytes, at: table + object * offsetSize, size: offsetSize), place < bytes.count,
            0xA...0xD ~= bytes[place] >> 4
        else { return [] }
        var (start, length) = (place + 1, Int(bytes[place] & 0xF))
        if length == 0xF {
            // An integer follows: 2 to the power of its low half is its size.
            guard start < bytes.count, bytes[start] >> 4 == 1,
                let number = Self.number(bytes, at: start + 1, size: 1 << Int(bytes[start] & 0xF))
            else { return [] }
            start += 1 + 1 << Int(bytes[start] & 0xF)
            length = number
        }
        guard length <= bytes.count else { return [] }
        if bytes[place] >> 4 == 0xD { length *= 2 }
        return (0..<length).compactMap { index in
            let member = Self.number(bytes, at: start + index * referenceSize, size: referenceSize)
            return member.flatMap { $0 < count ? $0 : nil }
        }
    }

    /// A number in big-endian, of whatever size, as Foundation reads it; `nil` beyond the end, or if it is larger than
    /// any file.
    private static func number(_ bytes: [UInt8], at place: Int, size: Int) -> Int? {
        guard place >= 0, place <= bytes.count - size else { return nil }
        let number = bytes[place..<place + size].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return number > 1 << 40 ? nil : Int(number)
    }
}
