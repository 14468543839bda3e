public import Foundation

/// A hash function over bytes that arrive in chunks: SHA-1, SHA-256, SHA-512 or SHA-512/256 (FIPS 180-4).
///
/// ```swift
/// var digest = MessageDigest(.sha256)
/// for try await chunk in network.chunks(for: Backup()) {
///     digest.update(chunk)
/// }
/// print(digest.hexadecimal)
/// ```
///
/// Foundation has no hash functions on Linux.
public struct MessageDigest: Sendable {
    /// The hash functions.
    @nonexhaustive
    public enum Algorithm: String, Sendable, Hashable {
        /// SHA-1. Not secure; protocols such as WebSocket require it.
        case sha1 = "sha"
        /// SHA-256.
        case sha256 = "sha-256"
        /// SHA-512.
        case sha512 = "sha-512"
        /// SHA-512/256: SHA-512 with another initial state, and half of its digest. Digest authentication uses it.
        case sha512_256 = "sha-512-256"

        /// The length of a digest in bytes.
        public var length: Int {
            switch self {
            case .sha1: 20
            case .sha256, .sha512_256: 32
            case .sha512: 64
            }
        }

        /// The length of a block in bytes, over which an HMAC pads its key (RFC 2104 section 2).
        public var blockLength: Int {
            switch self {
            case .sha1, .sha256: 64
            case .sha512, .sha512_256: 128
            }
        }
    }

    /// The hash function.
    public let algorithm: Algorithm
    /// The words of the state. Those of SHA-1 and SHA-256 have 32 bits.
    private var state: [UInt64]
    /// The bytes after the last whole block.
    private var rest: [UInt8] = []
    private var length: UInt64 = 0

    /// Creates the digest of no bytes.
    ///
    /// - Parameter algorithm: The hash function.
    public init(_ algorithm: Algorithm) {
        self.algorithm = algorithm
        state =
            switch algorithm {
            case .sha1: [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0]
            case .sha256: squareRoots.map { $0 >> 32 }
            case .sha512: squareRoots
            case .sha512_256: initialStateOfSHA512_256
            }
    }

    /// Appends bytes.
    ///
    /// - Parameter data: The bytes.
    public mutating func update(_ data: some DataProtocol) {
        for region in data.regions { region.withUnsafeBytes { add(bytes: $0) } }
    }

    private mutating func add(bytes: UnsafeRawBufferPointer) {
        length += UInt64(bytes.count)
        var bytes = bytes[...]
        if !rest.isEmpty {
            let start = bytes.prefix(algorithm.blockLength - rest.count)
            rest += start
            bytes = bytes.dropFirst(start.count)
            if rest.count < algorithm.blockLength { return }
            let block = rest
            block.withUnsafeBytes { add($0) }
        }
        let whole = bytes.count - bytes.count % algorithm.blockLength
        add(UnsafeRawBufferPointer(rebasing: bytes.prefix(whole)))
        rest = Array(bytes.dropFirst(whole))
    }

    /// The digest of all bytes so far.
    public var bytes: [UInt8] {
        var last = self
        let width = algorithm.blockLength / 2
        // A one bit, zeros, and the length in bits in 8 or 16 bytes (section 5.1).
        let block = algorithm.blockLength
        let zeros = (block - block / 8 - 1 - rest.count + block) % block + block / 8 - 8
        var padding = [UInt8](repeating: 0, count: 1 + zeros)
        padding[0] = 0x80
        padding += Self.bigEndian(length << 3, bits: 64)
        last.update(padding)
        return Array(last.state.flatMap { Self.bigEndian($0, bits: width) }.prefix(algorithm.length))
    }

    private static func bigEndian(_ word: UInt64, bits: Int) -> [UInt8] {
        stride(from: bits - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> UInt64($0)) }
    }

    /// The digest of all bytes so far, in lowercase hexadecimal digits.
    public var hexadecimal: String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// Returns the digest of bytes.
    ///
    /// - Parameters:
    ///   - data: The bytes.
    ///   - algorithm: The hash function.
    public static func of(_ data: Data, _ algorithm: Algorithm) -> MessageDigest {
        var digest = MessageDigest(algorithm)
        digest.update(data)
        return digest
    }

    /// Adds whole blocks.
    private mutating func add(_ blocks: UnsafeRawBufferPointer) {
        guard let start = blocks.baseAddress, !blocks.isEmpty else { return }
        switch algorithm {
        case .sha1: addSHA1(start, blocks.count / 64)
        case .sha256: addSHA256(start, blocks.count / 64)
        case .sha512, .sha512_256: addSHA512(start, blocks.count / 128)
        }
    }
}

// The compression functions are written out for each width, with pointers and `while`. Generic code, arrays and ranges
// are 40 times slower in a debug build.
extension MessageDigest {
    /// Adds blocks (section 6.1.2).
    private mutating func addSHA1(_ start: UnsafeRawPointer, _ count: Int) {
        withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 80) { schedule in
            guard let words = schedule.baseAddress else { return }
            var block = start
            let end = start + count * 64
            while block < end {
                var index = 0
                while index < 16 {
                    words[index] = block.loadUnaligned(fromByteOffset: index &* 4, as: UInt32.self).bigEndian
                    index &+= 1
                }
                while index < 80 {
                    let word = words[index &- 3] ^ words[index &- 8] ^ words[index &- 14] ^ words[index &- 16]
                    words[index] = word &<< 1 | word &>> 31
                    index &+= 1
                }
                var (a, b, c) = (UInt32(state[0]), UInt32(state[1]), UInt32(state[2]))
                var (d, e) = (UInt32(state[3]), UInt32(state[4]))
                index = 0
                while index < 80 {
                    let mixed: UInt32
                    if index < 20 {
                        mixed = (b & c | ~b & d) &+ 0x5a827999
                    } else if index < 40 {
                        mixed = (b ^ c ^ d) &+ 0x6ed9eba1
                    } else if index < 60 {
                        mixed = (b & c | b & d | c & d) &+ 0x8f1bbcdc
                    } else {
                        mixed = (b ^ c ^ d) &+ 0xca62c1d6
                    }
                    let next = (a &<< 5 | a &>> 27) &+ mixed &+ e &+ words[index]
                    e = d
                    d = c
                    c = b &<< 30 | b &>> 2
                    b = a
                    a = next
                    index &+= 1
                }
                state[0] = UInt64(UInt32(state[0]) &+ a)
                state[1] = UInt64(UInt32(state[1]) &+ b)
                state[2] = UInt64(UInt32(state[2]) &+ c)
                state[3] = UInt64(UInt32(state[3]) &+ d)
                state[4] = UInt64(UInt32(state[4]) &+ e)
                block += 64
            }
        }
    }

    /// Adds blocks (section 6.2.2).
    private mutating func addSHA256(_ start: UnsafeRawPointer, _ count: Int) {
        withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 64) { schedule in
            cubeRoots32.withUnsafeBufferPointer { constants in
                guard let words = schedule.baseAddress, let constants = constants.baseAddress else { return }
                var block = start
                let end = start + count * 64
                while block < end {
                    var index = 0
                    while index < 16 {
                        words[index] = block.loadUnaligned(fromByteOffset: index &* 4, as: UInt32.self).bigEndian
                        index &+= 1
                    }
                    while index < 64 {
                        let (early, late) = (words[index &- 15], words[index &- 2])
                        let small0 = (early &>> 7 | early &<< 25) ^ (early &>> 18 | early &<< 14) ^ early &>> 3
                        let small1 = (late &>> 17 | late &<< 15) ^ (late &>> 19 | late &<< 13) ^ late &>> 10
                        words[index] = small1 &+ words[index &- 7] &+ small0 &+ words[index &- 16]
                        index &+= 1
                    }
                    var (a, b, c, d) = (UInt32(state[0]), UInt32(state[1]), UInt32(state[2]), UInt32(state[3]))
                    var (e, f, g, h) = (UInt32(state[4]), UInt32(state[5]), UInt32(state[6]), UInt32(state[7]))
                    index = 0
                    while index < 64 {
                        let sum1 = (e &>> 6 | e &<< 26) ^ (e &>> 11 | e &<< 21) ^ (e &>> 25 | e &<< 7)
                        let first = h &+ sum1 &+ (e & f ^ ~e & g) &+ constants[index] &+ words[index]
                        let sum0 = (a &>> 2 | a &<< 30) ^ (a &>> 13 | a &<< 19) ^ (a &>> 22 | a &<< 10)
                        let second = sum0 &+ (a & b ^ a & c ^ b & c)
                        h = g
                        g = f
                        f = e
                        e = d &+ first
                        d = c
                        c = b
                        b = a
                        a = first &+ second
                        index &+= 1
                    }
                    state[0] = UInt64(UInt32(state[0]) &+ a)
                    state[1] = UInt64(UInt32(state[1]) &+ b)
                    state[2] = UInt64(UInt32(state[2]) &+ c)
                    state[3] = UInt64(UInt32(state[3]) &+ d)
                    state[4] = UInt64(UInt32(state[4]) &+ e)
                    state[5] = UInt64(UInt32(state[5]) &+ f)
                    state[6] = UInt64(UInt32(state[6]) &+ g)
                    state[7] = UInt64(UInt32(state[7]) &+ h)
                    block += 64
                }
            }
        }
    }

    /// Adds blocks (section 6.4.2).
    private mutating func addSHA512(_ start: UnsafeRawPointer, _ count: Int) {
        withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 80) { schedule in
            cubeRoots.withUnsafeBufferPointer { constants in
                guard let words = schedule.baseAddress, let constants = constants.baseAddress else { return }
                var block = start
                let end = start + count * 128
                while block < end {
                    var index = 0
                    while index < 16 {
                        words[index] = block.loadUnaligned(fromByteOffset: index &* 8, as: UInt64.self).bigEndian
                        index &+= 1
                    }
                    while index < 80 {
                        let (early, late) = (words[index &- 15], words[index &- 2])
                        let small0 = (early &>> 1 | early &<< 63) ^ (early &>> 8 | early &<< 56) ^ early &>> 7
                        let small1 = (late &>> 19 | late &<< 45) ^ (late &>> 61 | late &<< 3) ^ late &>> 6
                        words[index] = small1 &+ words[index &- 7] &+ small0 &+ words[index &- 16]
                        index &+= 1
                    }
                    var (a, b, c, d) = (state[0], state[1], state[2], state[3])
                    var (e, f, g, h) = (state[4], state[5], state[6], state[7])
                    index = 0
                    while index < 80 {
                        let sum1 = (e &>> 14 | e &<< 50) ^ (e &>> 18 | e &<< 46) ^ (e &>> 41 | e &<< 23)
                        let first = h &+ sum1 &+ (e & f ^ ~e & g) &+ constants[index] &+ words[index]
                        let sum0 = (a &>> 28 | a &<< 36) ^ (a &>> 34 | a &<< 30) ^ (a &>> 39 | a &<< 25)
                        let second = sum0 &+ (a & b ^ a & c ^ b & c)
                        h = g
                        g = f
                        f = e
                        e = d &+ first
                        d = c
                        c = b
                        b = a
                        a = first &+ second
                        index &+= 1
                    }
                    state[0] = state[0] &+ a
                    state[1] = state[1] &+ b
                    state[2] = state[2] &+ c
                    state[3] = state[3] &+ d
                    state[4] = state[4] &+ e
                    state[5] = state[5] &+ f
                    state[6] = state[6] &+ g
                    state[7] = state[7] &+ h
                    block += 128
                }
            }
        }
    }
}

/// The first 64 bits of the fractional parts of the square roots of the first 8 primes (section 5.3.5).
private let squareRoots: [UInt64] = [
    0x6a09e667_f3bcc908, 0xbb67ae85_84caa73b, 0x3c6ef372_fe94f82b, 0xa54ff53a_5f1d36f1,
    0x510e527f_ade682d1, 0x9b05688c_2b3e6c1f, 0x1f83d9ab_fb41bd6b, 0x5be0cd19_137e2179,
]

/// The initial state of SHA-512/256 (section 5.3.6.2).
private let initialStateOfSHA512_256: [UInt64] = [
    0x22312194_fc2bf72c, 0x9f555fa3_c84c64c2, 0x2393b86b_6f53b151, 0x96387719_5940eabd,
    0x96283ee2_a88effe3, 0xbe5e1e25_53863992, 0x2b0199fc_2c85b8aa, 0x0eb72ddc_81c52ca2,
]

/// The first 32 bits of the first 64 of ``cubeRoots``, which SHA-256 uses (section 4.2.2).
private let cubeRoots32 = cubeRoots.prefix(64).map { UInt32($0 >> 32) }

/// The first 64 bits of the fractional parts of the cube roots of the first 80 primes (section 4.2.3).
private let cubeRoots: [UInt64] = [
    0x428a2f98_d728ae22, 0x71374491_23ef65cd, 0xb5c0fbcf_ec4d3b2f, 0xe9b5dba5_8189dbbc,
    0x3956c25b_f348b538, 0x59f111f1_b605d019, 0x923f82a4_af194f9b, 0xab1c5ed5_da6d8118,
    0xd807aa98_a3030242, 0x12835b01_45706fbe, 0x243185be_4ee4b28c, 0x550c7dc3_d5ffb4e2,
    0x72be5d74_f27b896f, 0x80deb1fe_3b1696b1, 0x9bdc06a7_25c71235, 0xc19bf174_cf692694,
    0xe49b69c1_9ef14ad2, 0xefbe4786_384f25e3, 0x0fc19dc6_8b8cd5b5, 0x240ca1cc_77ac9c65,
    0x2de92c6f_592b0275, 0x4a7484aa_6ea6e483, 0x5cb0a9dc_bd41fbd4, 0x76f988da_831153b5,
    0x983e5152_ee66dfab, 0xa831c66d_2db43210, 0xb00327c8_98fb213f, 0xbf597fc7_beef0ee4,
    0xc6e00bf3_3da88fc2, 0xd5a79147_930aa725, 0x06ca6351_e003826f, 0x14292967_0a0e6e70,
    0x27b70a85_46d22ffc, 0x2e1b2138_5c26c926, 0x4d2c6dfc_5ac42aed, 0x53380d13_9d95b3df,
    0x650a7354_8baf63de, 0x766a0abb_3c77b2a8, 0x81c2c92e_47edaee6, 0x92722c85_1482353b,
    0xa2bfe8a1_4cf10364, 0xa81a664b_bc423001, 0xc24b8b70_d0f89791, 0xc76c51a3_0654be30,
    0xd192e819_d6ef5218, 0xd6990624_5565a910, 0xf40e3585_5771202a, 0x106aa070_32bbd1b8,
    0x19a4c116_b8d2d0c8, 0x1e376c08_5141ab53, 0x2748774c_df8eeb99, 0x34b0bcb5_e19b48a8,
    0x391c0cb3_c5c95a63, 0x4ed8aa4a_e3418acb, 0x5b9cca4f_7763e373, 0x682e6ff3_d6b2b8a3,
    0x748f82ee_5defb2fc, 0x78a5636f_43172f60, 0x84c87814_a1f0ab72, 0x8cc70208_1a6439ec,
    0x90befffa_23631e28, 0xa4506ceb_de82bde9, 0xbef9a3f7_b2c67915, 0xc67178f2_e372532b,
    0xca273ece_ea26619c, 0xd186b8c7_21c0c207, 0xeada7dd6_cde0eb1e, 0xf57d4f7f_ee6ed178,
    0x06f067aa_72176fba, 0x0a637dc5_a2c898a6, 0x113f9804_bef90dae, 0x1b710b35_131c471b,
    0x28db77f5_23047d84, 0x32caab7b_40c72493, 0x3c9ebe0a_15c9bebc, 0x431d67c4_9c100d4c,
    0x4cc5d4be_cb3e42b6, 0x597f299c_fc657e2a, 0x5fcb6fab_3ad6faec, 0x6c44198c_4a475817,
]
