import Foundation

/// Bytes of JSON text that are appended one after the other.
struct ByteBuffer {
    private(set) var start: UnsafeMutablePointer<UInt8>
    private(set) var count = 0
    private var capacity: Int

    init(capacity: Int) {
        self.capacity = max(64, capacity)
        start = .allocate(capacity: self.capacity)
    }

    func deallocate() {
        start.deallocate()
    }

    /// Returns what `write` appends.
    static func written(_ write: (inout ByteBuffer) -> Void) -> [UInt8] {
        var buffer = ByteBuffer(capacity: 256)
        defer { buffer.deallocate() }
        write(&buffer)
        return Array(UnsafeBufferPointer(start: buffer.start, count: buffer.count))
    }

    @inline(__always)
    mutating func reserve(_ more: Int) {
        if capacity - count < more { grow(by: more) }
    }

    private mutating func grow(by more: Int) {
        capacity = max(capacity * 2, count + more)
        let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
        larger.moveInitialize(from: start, count: count)
        start.deallocate()
        start = larger
    }

    @inline(__always)
    mutating func append(_ byte: UInt8) {
        reserve(1)
        start[count] = byte
        count += 1
    }

    @inline(__always)
    mutating func append(_ text: StaticString) {
        append(text.utf8Start, text.utf8CodeUnitCount)
    }

    @inline(__always)
    mutating func append(_ bytes: UnsafePointer<UInt8>, _ length: Int) {
        reserve(length)
        memcpy(start + count, bytes, length)
        count += length
    }

    /// Appends bytes that are in the buffer already.
    mutating func appendAgain(_ range: Range<Int>) {
        reserve(range.count)
        memcpy(start + count, start + range.lowerBound, range.count)
        count += range.count
    }

    /// Appends text that is JSON already.
    mutating func append(text: String) {
        var text = text
        text.withUTF8 { if let first = $0.baseAddress { append(first, $0.count) } }
    }

    mutating func append(repeating byte: UInt8, count more: Int) {
        reserve(more)
        (start + count).update(repeating: byte, count: more)
        count += more
    }

    @inline(__always)
    mutating func append<Integer: FixedWidthInteger>(_ integer: Integer) {
        if Integer.bitWidth > 64 { return append(text: integer.description) }
        var rest = UInt64(integer.magnitude)
        if rest < 10 {
            reserve(2)
        } else {
            reserve(20)
        }
        if integer < 0 { append(UInt8(ascii: "-")) }
        var length = 1
        var power: UInt64 = 10
        while length < 20, rest >= power {
            length += 1
            let (product, overflow) = power.multipliedReportingOverflow(by: 10)
            if overflow { break }
            power = product
        }
        var position = count + length
        count = position
        repeat {
            position -= 1
            start[position] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        } while rest > 0
    }

    /// Appends a JSON string (RFC 8259 section 7), with its quotation marks.
    @inline(__always)
    mutating func append(string: String, escapingSlashes: Bool) {
        var string = string
        string.withUTF8 { appendString($0, escapingSlashes) }
    }

    private mutating func appendString(_ text: UnsafeBufferPointer<UInt8>, _ escapesSlashes: Bool) {
        reserve(text.count + 2)
        append(UInt8(ascii: "\""))
        var from = 0
        while from < text.count {
            let end = Self.plainEnd(text, from, escapesSlashes)
            if end > from, let first = text.baseAddress { append(first + from, end - from) }
            if end < text.count { appendEscape(text[end]) }
            from = end + 1
        }
        append(UInt8(ascii: "\""))
    }

    /// Returns the position of the first byte that must be escaped, or the end.
    @inline(__always)
    private static func plainEnd(_ text: UnsafeBufferPointer<UInt8>, _ from: Int, _ escapesSlashes: Bool) -> Int {
        var position = from
        let raw = UnsafeRawBufferPointer(text)
        while position + 8 <= text.count {
            let word = raw.loadUnaligned(fromByteOffset: position, as: UInt64.self)
            if Octet.mustEscape(word, escapesSlashes) { break }
            position += 8
        }
        while position < text.count {
            switch text[position] {
            case ..<0x20, UInt8(ascii: "\""), UInt8(ascii: "\\"): return position
            case UInt8(ascii: "/") where escapesSlashes: return position
            default: position += 1
            }
        }
        return position
    }

    private mutating func appendEscape(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): append("\\\"")
        case UInt8(ascii: "\\"): append("\\\\")
        case UInt8(ascii: "/"): append("\\/")
        case 0x08: append("\\b")
        case 0x0C: append("\\f")
        case UInt8(ascii: "\n"): append("\\n")
        case UInt8(ascii: "\r"): append("\\r")
        case UInt8(ascii: "\t"): append("\\t")
        default:
            append(byte < 0x10 ? "\\u000" : "\\u001")
            let digit = byte & 0x0F
            append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
        }
    }
}

extension Octet {
    /// Whether one of eight bytes must be escaped in a JSON string.
    @inline(__always)
    static func mustEscape(_ word: UInt64, _ escapesSlashes: Bool) -> Bool {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let quotation = word ^ (ones &* UInt64(UInt8(ascii: "\"")))
        let backslash = word ^ (ones &* UInt64(UInt8(ascii: "\\")))
        let slash = word ^ (ones &* UInt64(UInt8(ascii: "/")))
        var found = (word &- ones &* 0x20) & ~word | (quotation &- ones) & ~quotation | (backslash &- ones) & ~backslash
        if escapesSlashes { found |= (slash &- ones) & ~slash }
        return found & 0x8080_8080_8080_8080 != 0
    }
}

/// Floating-point numbers as JSON text.
enum FloatText {
    /// Returns the shortest digits that are this number, without a fraction of zero.
    static func text(_ number: some LosslessStringConvertible) -> String {
        let text = number.description
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}
