import Foundation

/// Finds property lists that are nested too deeply to be decoded.
///
/// `PropertyListDecoder` on Linux (Swift 6.3.1) recurses for each level without a limit. About 16,000 levels overflow
/// the stack and end the process.
enum PropertyListNesting {
    /// The maximum number of levels, which is that of `JSONDecoder`.
    static let limit = 512

    /// Returns whether a property list has more levels than the limit.
    static func isTooDeep(_ data: Data) -> Bool {
        let bytes = [UInt8](data)
        if bytes.starts(with: "bplist".utf8) { return BinaryPropertyList(bytes)?.isTooDeep(limit) ?? false }
        guard let encoding = wideEncoding(bytes) else { return isTooDeep(xml: bytes) }
        return isTooDeep(xml: Array((String(data: data, encoding: encoding) ?? "").utf8))
    }

    /// Returns the encoding according to the byte-order mark, or `nil` for UTF-8.
    private static func wideEncoding(_ bytes: [UInt8]) -> String.Encoding? {
        if bytes.starts(with: [0, 0, 0xFE, 0xFF]) || bytes.starts(with: [0xFE, 0xFF, 0, 0]) { return .utf32 }
        return bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE]) ? .utf16 : nil
    }

    /// Returns whether too many container elements are open at once.
    ///
    /// Doesn't validate the XML, since the decoder stops at the first error.
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
                // The element `plist` is an additional level.
                if depth > limit + 1 { return true }
                rest = rest[end...]
            }
        }
        return false
    }

    /// Returns whether the bytes begin with the name of a container element.
    private static func beginsContainer(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.starts(with: "array".utf8) || bytes.starts(with: "dict".utf8) || bytes.starts(with: "plist".utf8)
    }

    /// Returns the bytes after a delimiter, or none if it is missing.
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

/// The object table of a binary property list. Only its containers are parsed.
private struct BinaryPropertyList {
    private let bytes: [UInt8]
    private let offsetSize: Int
    private let referenceSize: Int
    private let count: Int
    private let top: Int
    private let table: Int

    /// Parses the trailer. Returns `nil` if it is not valid; the decoder rejects it, too.
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

    /// Returns whether a chain of references from the top object is longer than `limit`, or forms a cycle.
    ///
    /// Visits each object once. Also returns `true` if there are more references than bytes.
    func isTooDeep(_ limit: Int) -> Bool {
        // The levels below each object: `nil` if it hasn't been visited, 0 while its members are visited.
        var levels = [Int?](repeating: nil, count: count)
        var path: [(object: Int, members: [Int], next: Int)] = []
        var unread = bytes.count
        var entered: Int? = top
        while true {
            if let object = entered {
                levels[object] = 0
                path.append((object, members(of: object), 0))
                unread -= path[path.count - 1].members.count
                // The last object of a chain, which needn't be a container, is not a level.
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

    /// Returns the objects that a container refers to. Returns none if the container is not valid.
    private func members(of object: Int) -> [Int] {
        guard let place = Self.number(bytes, at: table + object * offsetSize, size: offsetSize), place < bytes.count,
            0xA...0xD ~= bytes[place] >> 4
        else { return [] }
        var (start, length) = (place + 1, Int(bytes[place] & 0xF))
        if length == 0xF {
            // The length follows as an integer. The low four bits of its first byte are the exponent of its size.
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

    /// Parses a big-endian number of any size, as Foundation does.
    ///
    /// Returns `nil` if it is beyond the end, or larger than any file.
    private static func number(_ bytes: [UInt8], at place: Int, size: Int) -> Int? {
        guard place >= 0, place <= bytes.count - size else { return nil }
        let number = bytes[place..<place + size].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return number > 1 << 40 ? nil : Int(number)
    }
}
