import Foundation

#if canImport(CryptoKit)
import CryptoKit
#endif

/// SHA-256 (FIPS 180-4) of a salt and a string. Foundation has no digest on Linux.
enum SHA256Digest {
    static let saltLength = 32

    static func randomSalt() -> Data {
        Data((0..<saltLength).map { _ in UInt8.random(in: 0...255) })
    }

    static func of(_ salt: Data, _ text: String) -> Data {
        #if canImport(CryptoKit)
        Data(SHA256.hash(data: salt + Data(text.utf8)))
        #else
        Data(digest(Array(salt) + Array(text.utf8)))
        #endif
    }

    #if !canImport(CryptoKit)
    private static func digest(_ message: [UInt8]) -> [UInt8] {
        var bytes = message + [0x80]
        while bytes.count % 64 != 56 { bytes.append(0) }
        bytes += (0..<8).map { UInt8(truncatingIfNeeded: UInt64(message.count * 8) >> (56 - 8 * UInt64($0))) }
        var hash = initial
        var words = [UInt32](repeating: 0, count: 64)
        for block in stride(from: 0, to: bytes.count, by: 64) {
            for index in 0..<16 {
                words[index] = bytes[block + index * 4..<block + index * 4 + 4].reduce(0) { $0 << 8 | UInt32($1) }
            }
            for index in 16..<64 {
                let (early, late) = (words[index - 15], words[index - 2])
                let first = rotated(early, 7) ^ rotated(early, 18) ^ early >> 3
                let second = rotated(late, 17) ^ rotated(late, 19) ^ late >> 10
                words[index] = words[index - 16] &+ first &+ words[index - 7] &+ second
            }
            add(words, to: &hash)
        }
        return hash.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - 8 * UInt32($0))) } }
    }

    private static func add(_ words: [UInt32], to hash: inout [UInt32]) {
        var (a, b, c, d) = (hash[0], hash[1], hash[2], hash[3])
        var (e, f, g, h) = (hash[4], hash[5], hash[6], hash[7])
        for index in 0..<64 {
            let first = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)
            let sum = h &+ first &+ (e & f ^ ~e & g) &+ constants[index] &+ words[index]
            let second = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)
            (h, g, f, e, d, c, b, a) = (g, f, e, d &+ sum, c, b, a, sum &+ second &+ (a & b ^ a & c ^ b & c))
        }
        for (index, word) in [a, b, c, d, e, f, g, h].enumerated() { hash[index] &+= word }
    }

    private static func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 {
        word >> count | word << (32 - count)
    }

    /// The first 64 prime numbers, whose roots are the constants.
    private static let primes = (2...311).filter { number in !(2..<number).contains { number.isMultiple(of: $0) } }
    private static let initial = primes.prefix(8).map { fraction(of: $0, root: 2) }
    private static let constants = primes.map { fraction(of: $0, root: 3) }

    /// Returns the first 32 bits of the fraction of a root, by bisection in whole numbers.
    private static func fraction(of prime: Int, root: Int) -> UInt32 {
        var (low, high): (UInt64, UInt64) = (0, 1 << 37)
        while high - low > 1 {
            let middle = (low + high) / 2
            if isRoot(middle, atMost: prime, root) { low = middle } else { high = middle }
        }
        return UInt32(truncatingIfNeeded: low)
    }

    /// Returns whether a number, in units of 2^-32, is at most the root of a prime number.
    private static func isRoot(_ number: UInt64, atMost prime: Int, _ root: Int) -> Bool {
        let square = UInt128(number) * UInt128(number)
        return root == 2
            ? square <= UInt128(prime) << 64 : square * UInt128(number) <= UInt128(prime) << 96
    }
    #endif
}
