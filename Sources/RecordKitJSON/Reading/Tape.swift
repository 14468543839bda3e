import Foundation
import Synchronization

/// A JSON document, and an entry for each of its values in their order.
///
/// The scanner checks the whole document once. Decoders then read from the entries: the bytes of an entry are valid, so
/// nothing is checked twice. A name has an entry too, before its value.
final class Tape: Sendable {
    struct Entry {
        var kind: Kind
        /// The position of the first byte. For a string, the one after the quotation mark.
        var start: UInt32
        /// The position after the last byte. For an array or object, the number of its elements or members.
        var end: UInt32
        /// The index of the entry after this value.
        var next: UInt32
    }

    enum Kind: UInt8 {
        case null
        case `false`
        case `true`
        /// A number without a fraction or exponent.
        case integer
        case number
        /// A string that is ASCII without escapes.
        case ascii
        /// A string without escapes.
        case text
        case escaped
        case array
        case object

        var isString: Bool { self == .ascii || self == .text || self == .escaped }
        var isNumber: Bool { self == .integer || self == .number }
    }

    /// The longest document in bytes. Its entries take at most twelve times as much memory, while they grow.
    static let limit = 1 << 28

    /// The tape that this one adds a dictionary to. It owns the memory.
    let outer: Tape?
    /// The index of the object that is read as a dictionary, whose names aren't converted. -1 if there is none.
    let dictionary: Int
    let reader: JSONReader
    /// Whether members are found by a converted name.
    let convertsNames: Bool
    // Only `deinit` changes the memory after `init`. A decoder may outlive the data that it reads, so it is copied.
    nonisolated(unsafe) private let bytes: UnsafeMutablePointer<UInt8>
    nonisolated(unsafe) private let entries: UnsafeMutablePointer<Entry>
    private let length: Int
    let count: Int
    /// What paths need. Only that of the outermost tape is used, as the other index is.
    let places = Mutex(EntryPlaces())
    /// The members of large objects, by the indices of the objects, once one is looked for.
    private let lastMembers = Mutex<[Int: [ByteName: Int]]>([:])

    /// Scans a document.
    init(_ document: UnsafeRawBufferPointer, reader: JSONReader) throws(JSONSyntaxError) {
        guard document.count <= Self.limit else {
            throw JSONSyntaxError(offset: 0, reason: "the document is larger than 256 MB")
        }
        (outer, dictionary) = (nil, -1)
        self.reader = reader
        if case .convertFromSnakeCase = reader.keyDecodingStrategy {
            convertsNames = true
        } else {
            convertsNames = false
        }
        length = document.count
        bytes = .allocate(capacity: length + Scanner.padding)
        if let start = document.baseAddress {
            bytes.update(from: start.assumingMemoryBound(to: UInt8.self), count: length)
        }
        // The scanner stops at a zero, so that it needs no check of the end.
        (bytes + length).update(repeating: 0, count: Scanner.padding)
        var scanner = Scanner(bytes, count: length, depthLimit: reader.depthLimit)
        do throws(JSONSyntaxError) {
            try scanner.scan()
        } catch {
            bytes.deallocate()
            scanner.entries.deallocate()
            throw error
        }
        entries = scanner.entries
        count = scanner.count
    }

    /// Creates a tape of the same document in which an object is a dictionary: no strategy converts its names.
    init(_ outer: Tape, dictionary: Int) {
        self.outer = outer
        self.dictionary = dictionary
        (reader, convertsNames) = (outer.reader, outer.convertsNames)
        (bytes, length, entries, count) = (outer.bytes, outer.length, outer.entries, outer.count)
    }

    deinit {
        if outer != nil { return }
        bytes.deallocate()
        entries.deallocate()
    }

    @inline(__always)
    subscript(index: Int) -> Entry {
        precondition(index >= 0 && index < count)
        Visits.add()
        return entries[index]
    }

    /// The bytes of a number or string.
    @inline(__always)
    func bytes(of entry: Entry) -> UnsafeBufferPointer<UInt8> {
        precondition(entry.start <= entry.end && entry.end <= length)
        return UnsafeBufferPointer(start: bytes + Int(entry.start), count: Int(entry.end - entry.start))
    }

    @inline(__always)
    func string(_ entry: Entry) -> String {
        if entry.kind == .escaped { return unescaped(bytes(of: entry)) }
        return String(decoding: bytes(of: entry), as: UTF8.self)
    }

    /// Returns a string that the scanner has checked without its escapes.
    private func unescaped(_ text: UnsafeBufferPointer<UInt8>) -> String {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: text.count) { buffer in
            var count = 0
            func append(_ byte: UInt8) {
                buffer[count] = byte
                count += 1
            }
            var position = 0
            while position < text.count {
                let byte = text[position]
                position += 1
                guard byte == UInt8(ascii: "\\") else {
                    append(byte)
                    continue
                }
                let escape = text[position]
                position += 1
                switch escape {
                case UInt8(ascii: "b"): append(0x08)
                case UInt8(ascii: "f"): append(0x0C)
                case UInt8(ascii: "n"): append(0x0A)
                case UInt8(ascii: "r"): append(0x0D)
                case UInt8(ascii: "t"): append(0x09)
                case UInt8(ascii: "u"):
                    var unit = Hexadecimal.unit(text, at: position)
                    position += 4
                    if UTF16.isLeadSurrogate(UInt16(unit)) {
                        unit = 0x10000 + (unit - 0xD800) << 10 + Hexadecimal.unit(text, at: position + 2) - 0xDC00
                        position += 6
                    }
                    for byte in String(Unicode.Scalar(unit) ?? "\u{FFFD}").utf8 { append(byte) }
                default: append(escape)
                }
            }
            return String(decoding: buffer[..<count], as: UTF8.self)
        }
    }
}

// Elements and members.
extension Tape {
    /// Returns the indices of the elements of an array, or of the names of an object's members.
    func children(of container: Int) -> [Int] {
        let entry = self[container]
        let isObject = entry.kind == .object
        var children: [Int] = []
        children.reserveCapacity(Int(entry.end))
        var child = container + 1
        for _ in 0..<entry.end {
            children.append(child)
            child = Int(self[isObject ? child + 1 : child].next)
        }
        return children
    }

    /// Returns whether all names of an object are ASCII without escapes, so that bytes are compared.
    func hasPlainNames(_ object: Int) -> Bool {
        var index = object + 1
        for _ in 0..<self[object].end {
            if self[index].kind != .ascii { return false }
            index = Int(self[index + 1].next)
        }
        return true
    }

    /// An object with more members than this finds them in a dictionary. Making one takes longer than to compare a few
    /// names, most of which differ in length.
    static let manyMembers = 64

    /// Returns the index of the value of the last member with a name, comparing bytes.
    func lastMember(_ name: String, of object: Int) -> Int? {
        if self[object].end > Self.manyMembers { return namedMember(name, of: object) }
        var name = name
        return name.withUTF8 { name in
            var last: Int?
            var index = object + 1
            for _ in 0..<self[object].end {
                if isName(self[index], name) { last = index + 1 }
                index = Int(self[index + 1].next)
            }
            return last
        }
    }

    @inline(__always)
    private func isName(_ entry: Entry, _ name: UnsafeBufferPointer<UInt8>) -> Bool {
        // Most names differ in length. Escapes are longer than what they stand for.
        guard Int(entry.end &- entry.start) == name.count else {
            return entry.kind == .escaped && string(entry).utf8.elementsEqual(name)
        }
        // Of an empty name no byte is read.
        return memcmp(bytes + Int(entry.start), name.baseAddress ?? UnsafePointer(bytes), name.count) == 0
    }

    /// Returns the index of the value of the last member with a name. Looks at each member only once.
    private func namedMember(_ name: String, of object: Int) -> Int? {
        lastMembers.withLock { all in
            if let members = all[object] { return members[ByteName(name)] }
            let members = children(of: object).map { (ByteName(string(self[$0])), $0 + 1) }
            all[object] = Dictionary(members) { $1 }
            return all[object]?[ByteName(name)]
        }
    }

    /// Returns the index of the value of the first member with a name, comparing as `String` does.
    @inline(__always)
    func member(_ name: String, of object: Int) -> Int? {
        var name = name
        let found = name.withUTF8 { member($0, of: object) }
        if found >= 0 { return found }
        // A name that isn't ASCII may equal one that is: the Kelvin sign is canonically equivalent to K.
        return found == Self.mayDiffer ? equivalentMember(name, of: object) : nil
    }

    private static var missing: Int { -1 }
    private static var mayDiffer: Int { -2 }

    /// Compares bytes. Returns ``mayDiffer`` if there is no such member and strings must be compared.
    private func member(_ name: UnsafeBufferPointer<UInt8>, of object: Int) -> Int {
        var index = object + 1
        var isPlain = true
        // Of an empty name no byte is read.
        let first = name.baseAddress ?? UnsafePointer(bytes)
        for _ in 0..<self[object].end {
            let entry = self[index]
            if entry.kind != .ascii { isPlain = false }
            if Int(entry.end - entry.start) == name.count, entry.kind != .escaped,
                memcmp(bytes + Int(entry.start), first, name.count) == 0
            {
                return isPlain ? index + 1 : Self.mayDiffer
            }
            index = Int(self[index + 1].next)
        }
        return isPlain && name.allSatisfy { $0 < 0x80 } ? Self.missing : Self.mayDiffer
    }

    private func equivalentMember(_ name: String, of object: Int) -> Int? {
        children(of: object).first { string(self[$0]) == name }.map { $0 + 1 }
    }

    /// The name by which a member is found.
    func name(_ entry: Entry, converts: Bool) -> String {
        converts ? SnakeCase.camelCase(string(entry)) : string(entry)
    }
}

enum Hexadecimal {
    @inline(__always)
    static func value(_ byte: UInt8) -> UInt32? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(byte - UInt8(ascii: "a") + 10)
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(byte - UInt8(ascii: "A") + 10)
        default: nil
        }
    }

    /// The code unit of four digits that the scanner has checked.
    static func unit(_ text: UnsafeBufferPointer<UInt8>, at position: Int) -> UInt32 {
        text[position..<position + 4].reduce(0) { $0 << 4 | (value($1) ?? 0) }
    }
}
