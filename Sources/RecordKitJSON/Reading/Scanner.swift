/// Checks a document according to RFC 8259, and makes an entry for each of its values.
struct Scanner {
    /// The number of zeros that must follow the document.
    static let padding = 8

    private(set) var entries: UnsafeMutablePointer<Tape.Entry>
    private(set) var count = 0
    private var capacity: Int
    private let bytes: UnsafeMutablePointer<UInt8>
    private let length: Int
    private let depthLimit: Int
    private var position = 0
    private var depth = 0
    /// The index of the innermost open container. Until it is closed, its `next` is the index of the one around it.
    private var container = Self.none

    private static var none: UInt32 { .max }

    init(_ bytes: UnsafeMutablePointer<UInt8>, count length: Int, depthLimit: Int) {
        self.bytes = bytes
        self.length = length
        self.depthLimit = max(0, min(depthLimit, JSONReader.deepestLimit))
        capacity = max(16, length / 8)
        entries = .allocate(capacity: capacity)
    }

    mutating func scan() throws(JSONSyntaxError) {
        if length >= 3, bytes[0] == 0xEF, bytes[1] == 0xBB, bytes[2] == 0xBF { position = 3 }
        values: while true {
            skipSpace()
            switch bytes[position] {
            case UInt8(ascii: "{"):
                if try open(.object, until: UInt8(ascii: "}")) {
                    try name()
                    continue values
                }
            case UInt8(ascii: "["):
                if try open(.array, until: UInt8(ascii: "]")) { continue values }
            case UInt8(ascii: "\""): try string()
            case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try number()
            case UInt8(ascii: "t"): try word("true", .true)
            case UInt8(ascii: "f"): try word("false", .false)
            case UInt8(ascii: "n"): try word("null", .null)
            default:
                throw error(position >= length ? "the text ends where a value should be" : "no value begins like this")
            }
            if container == Self.none { break }
            while true {
                skipSpace()
                let isObject = entries[Int(container)].kind == .object
                switch bytes[position] {
                case UInt8(ascii: ","):
                    position += 1
                    entries[Int(container)].end += 1
                    if isObject {
                        skipSpace()
                        try name()
                    }
                    continue values
                case UInt8(ascii: "}") where isObject, UInt8(ascii: "]") where !isObject: close()
                default:
                    throw error(isObject ? "a comma or } is missing" : "a comma or ] is missing")
                }
                if container == Self.none { break values }
            }
        }
        skipSpace()
        guard position == length else { throw error("something follows the value") }
    }

    // MARK: Containers

    /// Opens a container, and returns whether it isn't empty.
    private mutating func open(_ kind: Tape.Kind, until end: UInt8) throws(JSONSyntaxError) -> Bool {
        guard depth < depthLimit else { throw error("it is nested more than \(depthLimit) levels deep") }
        depth += 1
        let start = UInt32(position)
        position += 1
        skipSpace()
        let isEmpty = bytes[position] == end
        let index = UInt32(count)
        add(Tape.Entry(kind: kind, start: start, end: isEmpty ? 0 : 1, next: container))
        container = index
        return !isEmpty
    }

    private mutating func close() {
        depth -= 1
        position += 1
        let outer = entries[Int(container)].next
        entries[Int(container)].next = UInt32(count)
        container = outer
    }

    private mutating func name() throws(JSONSyntaxError) {
        guard bytes[position] == UInt8(ascii: "\"") else { throw error("a name in quotation marks is missing") }
        try string()
        skipSpace()
        guard bytes[position] == UInt8(ascii: ":") else { throw error("a colon is missing") }
        position += 1
    }

    @inline(__always)
    private mutating func add(_ entry: Tape.Entry) {
        if count == capacity { grow() }
        (entries + count).initialize(to: entry)
        count += 1
    }

    @inline(__always)
    private mutating func add(_ kind: Tape.Kind, from start: Int) {
        add(Tape.Entry(kind: kind, start: UInt32(start), end: UInt32(position), next: UInt32(count + 1)))
    }

    private mutating func grow() {
        let larger = UnsafeMutablePointer<Tape.Entry>.allocate(capacity: capacity * 2)
        larger.moveInitialize(from: entries, count: count)
        entries.deallocate()
        entries = larger
        capacity *= 2
    }

    @inline(__always)
    private mutating func skipSpace() {
        while bytes[position] <= 0x20 {
            switch bytes[position] {
            case 0x20, 0x0A, 0x0D, 0x09: position += 1
            default: return
            }
        }
    }

    private func error(_ reason: String) -> JSONSyntaxError {
        JSONSyntaxError(offset: position, reason: reason)
    }
}

// Numbers and words.
extension Scanner {
    private mutating func word(_ word: StaticString, _ kind: Tape.Kind) throws(JSONSyntaxError) {
        for index in 0..<word.utf8CodeUnitCount where bytes[position + index] != word.utf8Start[index] {
            throw error("no value begins like this")
        }
        let start = position
        position += word.utf8CodeUnitCount
        add(kind, from: start)
    }

    @inline(__always)
    private mutating func number() throws(JSONSyntaxError) {
        let start = position
        var kind = Tape.Kind.integer
        if bytes[position] == UInt8(ascii: "-") { position += 1 }
        if bytes[position] == UInt8(ascii: "0"), isDigit(bytes[position + 1]) { throw error("a number begins with 0") }
        try digits()
        if bytes[position] == UInt8(ascii: ".") {
            kind = .number
            position += 1
            try digits()
        }
        if bytes[position] | 0x20 == UInt8(ascii: "e") {
            kind = .number
            position += 1
            if bytes[position] == UInt8(ascii: "+") || bytes[position] == UInt8(ascii: "-") { position += 1 }
            try digits()
        }
        add(kind, from: start)
    }

    @inline(__always)
    private mutating func digits() throws(JSONSyntaxError) {
        let start = position
        while isDigit(bytes[position]) { position += 1 }
        if position == start { throw error("a digit is missing") }
    }

    @inline(__always)
    private func isDigit(_ byte: UInt8) -> Bool {
        byte &- UInt8(ascii: "0") < 10
    }
}

// Strings.
extension Scanner {
    @inline(__always)
    private mutating func string() throws(JSONSyntaxError) {
        position += 1
        let start = position
        position += Octet.plainCount(UnsafeRawPointer(bytes + position))
        if bytes[position] == UInt8(ascii: "\"") {
            add(.ascii, from: start)
            position += 1
        } else {
            try remainder(of: start)
        }
    }

    /// Scans the rest of a string from its first byte that isn't plain.
    private mutating func remainder(of start: Int) throws(JSONSyntaxError) {
        var kind = Tape.Kind.ascii
        while true {
            position += Octet.plainCount(UnsafeRawPointer(bytes + position))
            switch bytes[position] {
            case UInt8(ascii: "\""):
                add(kind, from: start)
                position += 1
                return
            case UInt8(ascii: "\\"):
                kind = .escaped
                try escape()
            case 0x80...:
                if kind == .ascii { kind = .text }
                try character()
            default:
                throw error(
                    position >= length ? "a string does not end" : "a control character in a string is not escaped")
            }
        }
    }

    private mutating func escape() throws(JSONSyntaxError) {
        position += 1
        switch bytes[position] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            position += 1
        case UInt8(ascii: "u"):
            position += 1
            let unit = try codeUnit()
            switch unit {
            case 0xD800..<0xDC00:
                guard bytes[position] == UInt8(ascii: "\\"), bytes[position + 1] == UInt8(ascii: "u") else {
                    throw error("half of a surrogate pair")
                }
                position += 2
                guard 0xDC00..<0xE000 ~= (try codeUnit()) else { throw error("half of a surrogate pair") }
            case 0xDC00..<0xE000: throw error("half of a surrogate pair")
            default: break
            }
        default: throw error(position >= length ? "a string does not end" : "no escape is written like this")
        }
    }

    private mutating func codeUnit() throws(JSONSyntaxError) -> UInt32 {
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = Hexadecimal.value(bytes[position]) else {
                throw error("four hexadecimal digits are missing")
            }
            unit = unit << 4 | digit
            position += 1
        }
        return unit
    }

    /// Checks a character that isn't ASCII (RFC 3629 section 4).
    private mutating func character() throws(JSONSyntaxError) {
        let second: ClosedRange<UInt8>
        let length: Int
        switch bytes[position] {
        case 0xC2...0xDF: (length, second) = (2, 0x80...0xBF)
        case 0xE0: (length, second) = (3, 0xA0...0xBF)
        case 0xED: (length, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: (length, second) = (3, 0x80...0xBF)
        case 0xF0: (length, second) = (4, 0x90...0xBF)
        case 0xF1...0xF3: (length, second) = (4, 0x80...0xBF)
        case 0xF4: (length, second) = (4, 0x80...0x8F)
        default: throw error("a string is not UTF-8")
        }
        guard second ~= bytes[position + 1] else { throw error("a string is not UTF-8") }
        for offset in 2..<max(2, length) where bytes[position + offset] & 0xC0 != 0x80 {
            throw error("a string is not UTF-8")
        }
        position += length
    }
}

/// Eight bytes that are looked at together.
enum Octet {
    /// Returns the number of bytes before the first quotation mark, backslash, control character or byte above 7F.
    ///
    /// One of them must follow, and seven readable bytes after it.
    @inline(__always)
    static func plainCount(_ start: UnsafeRawPointer) -> Int {
        var count = 0
        while true {
            let special = special(in: start.loadUnaligned(fromByteOffset: count, as: UInt64.self))
            if special != 0 { return count + special.trailingZeroBitCount / 8 }
            count += 8
        }
    }

    /// Returns the high bit of the first special byte, and of others that are above it.
    @inline(__always)
    static func special(in word: UInt64) -> UInt64 {
        let word = UInt64(littleEndian: word)
        let ones: UInt64 = 0x0101_0101_0101_0101
        let quotation = word ^ (ones &* UInt64(UInt8(ascii: "\"")))
        let backslash = word ^ (ones &* UInt64(UInt8(ascii: "\\")))
        let found =
            (word &- ones &* 0x20) & ~word | (quotation &- ones) & ~quotation | (backslash &- ones) & ~backslash | word
        return found & 0x8080_8080_8080_8080
    }
}
