import Foundation

/// MD5 (RFC 1321). Collisions are easy to make. Only digest authentication with an old server needs it.
struct InsecureMD5: Sendable {
    private var state: [UInt32] = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476]
    private var rest: [UInt8] = []
    private var length: UInt64 = 0

    private static let shifts: [[UInt32]] = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]]
    private static let constants = (1...64).map { UInt32(abs(sin(Double($0))) * 4_294_967_296) }

    mutating func update(_ data: Data) {
        length &+= UInt64(data.count)
        rest += data
        var start = 0
        while rest.count - start >= 64 {
            add(rest[start..<start + 64])
            start += 64
        }
        rest.removeFirst(start)
    }

    /// The digest of all bytes so far.
    var bytes: [UInt8] {
        var last = self
        let zeros = (119 - rest.count) % 64
        var padding = [0x80] + [UInt8](repeating: 0, count: zeros)
        for shift in stride(from: UInt64(0), to: 64, by: 8) {
            padding.append(UInt8(truncatingIfNeeded: (length << 3) >> shift))
        }
        last.update(Data(padding))
        return last.state.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> UInt32($0 * 8)) } }
    }

    /// Adds a block of 64 bytes (RFC 1321 section 3.4).
    private mutating func add(_ block: ArraySlice<UInt8>) {
        let words = (0..<16).map { index in
            (0..<4).reduce(UInt32(0)) { $0 | UInt32(block[block.startIndex + index * 4 + $1]) << UInt32($1 * 8) }
        }
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        for index in 0..<64 {
            let mixed: UInt32
            let word: Int
            switch index / 16 {
            case 0: (mixed, word) = (b & c | ~b & d, index)
            case 1: (mixed, word) = (d & b | ~d & c, (5 * index + 1) % 16)
            case 2: (mixed, word) = (b ^ c ^ d, (3 * index + 5) % 16)
            default: (mixed, word) = (c ^ (b | ~d), 7 * index % 16)
            }
            let sum = a &+ mixed &+ Self.constants[index] &+ words[word]
            let shift = Self.shifts[index / 16][index % 4]
            (a, d, c, b) = (d, c, b, b &+ (sum << shift | sum >> (32 - shift)))
        }
        state = [state[0] &+ a, state[1] &+ b, state[2] &+ c, state[3] &+ d]
    }
}
