#if !canImport(CryptoKit)
/// A hash function, with the methods of CryptoKit's protocol.
protocol HashFunction {
    /// Creates the hash of no bytes.
    init()

    /// Appends bytes.
    mutating func update(bufferPointer: UnsafeRawBufferPointer)

    /// Returns the digest of all bytes.
    func finalize() -> [UInt8]
}

typealias SHA256 = SHA2<UInt32>
typealias SHA512 = SHA2<UInt64>

/// The hash functions SHA-256 and SHA-512 (FIPS 180-4). Foundation has none on Linux.
struct SHA2<Word: SHA2Word>: HashFunction {
    private var state: [Word] = sha2Roots.map { Self.start(of: $0) }
    private let constants: [Word] = sha2CubeRoots.prefix(Word.rounds).map { Self.start(of: $0) }
    /// The bytes after the last whole block.
    private var rest: [UInt8] = []
    private var length: UInt64 = 0
    private var schedule = [Word](repeating: 0, count: Word.rounds)

    /// The size of a block, which is 16 words.
    private static var block: Int { 16 * MemoryLayout<Word>.size }

    /// Returns the first bits of a constant: those of SHA-256 are the first half of those of SHA-512.
    private static func start(of constant: UInt64) -> Word {
        Word(truncatingIfNeeded: constant >> (64 - Word.bitWidth))
    }

    mutating func update(bufferPointer bytes: UnsafeRawBufferPointer) {
        length += UInt64(bytes.count)
        var bytes = bytes[...]
        if !rest.isEmpty {
            let start = bytes.prefix(Self.block - rest.count)
            rest += start
            bytes = bytes.dropFirst(start.count)
            if rest.count < Self.block { return }
            let block = rest
            block.withUnsafeBytes { add($0) }
            rest = []
        }
        while bytes.count >= Self.block {
            add(UnsafeRawBufferPointer(rebasing: bytes.prefix(Self.block)))
            bytes = bytes.dropFirst(Self.block)
        }
        rest = Array(bytes)
    }

    func finalize() -> [UInt8] {
        var hash = self
        // A one bit, zeros, and the length in bits as two words (section 5.1).
        let room = Self.block - 2 * MemoryLayout<Word>.size
        let zeros = (room - 1 - rest.count + Self.block) % Self.block + 2 * MemoryLayout<Word>.size - 8
        let padding = [0x80] + [UInt8](repeating: 0, count: zeros) + Self.bytes(of: length << 3)
        padding.withUnsafeBytes { hash.update(bufferPointer: $0) }
        return hash.state.flatMap { Self.bytes(of: $0) }
    }

    private static func bytes(of number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { [UInt8]($0) }
    }

    /// Adds a block (section 6.2.2).
    private mutating func add(_ block: UnsafeRawBufferPointer) {
        for index in 0..<16 {
            schedule[index] = Word(
                bigEndian: block.loadUnaligned(fromByteOffset: index * MemoryLayout<Word>.size, as: Word.self))
        }
        let (sum0, sum1, small0, small1) = Word.rotations
        for index in 16..<Word.rounds {
            let (early, late) = (schedule[index - 15], schedule[index - 2])
            let sigma0 = early.rotated(small0.0) ^ early.rotated(small0.1) ^ early >> small0.shift
            let sigma1 = late.rotated(small1.0) ^ late.rotated(small1.1) ^ late >> small1.shift
            schedule[index] = sigma1 &+ schedule[index - 7] &+ sigma0 &+ schedule[index - 16]
        }
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        var (e, f, g, h) = (state[4], state[5], state[6], state[7])
        for index in 0..<Word.rounds {
            let sigma1 = e.rotated(sum1.0) ^ e.rotated(sum1.1) ^ e.rotated(sum1.2)
            let first = h &+ sigma1 &+ (e & f ^ ~e & g) &+ constants[index] &+ schedule[index]
            let sigma0 = a.rotated(sum0.0) ^ a.rotated(sum0.1) ^ a.rotated(sum0.2)
            let second = sigma0 &+ (a & b ^ a & c ^ b & c)
            (h, g, f, e, d, c, b, a) = (g, f, e, d &+ first, c, b, a, first &+ second)
        }
        for (index, word) in [a, b, c, d, e, f, g, h].enumerated() { state[index] &+= word }
    }
}

/// A word of a hash function: of 32 bits for SHA-256, of 64 bits for SHA-512.
protocol SHA2Word: FixedWidthInteger, UnsignedInteger {
    /// The number of rounds for a block.
    static var rounds: Int { get }
    /// The rotations of the functions that FIPS 180-4 (sections 4.1.2 and 4.1.3) writes as large and small sigma.
    static var rotations: SHA2Rotations { get }
}

typealias SHA2Rotations = (
    sum0: (Int, Int, Int), sum1: (Int, Int, Int), small0: (Int, Int, shift: Int), small1: (Int, Int, shift: Int)
)

extension UInt32: SHA2Word {
    static var rounds: Int { 64 }
    static var rotations: SHA2Rotations { ((2, 13, 22), (6, 11, 25), (7, 18, 3), (17, 19, 10)) }
}

extension UInt64: SHA2Word {
    static var rounds: Int { 80 }
    static var rotations: SHA2Rotations { ((28, 34, 39), (14, 18, 41), (1, 8, 7), (19, 61, 6)) }
}

extension SHA2Word {
    fileprivate func rotated(_ count: Int) -> Self { self &>> count | self &<< (Self.bitWidth - count) }
}

/// The first 64 bits of the fractional parts of the square roots of the first 8 primes (section 5.3.5).
private let sha2Roots: [UInt64] = [
    0x6a09e667_f3bcc908, 0xbb67ae85_84caa73b, 0x3c6ef372_fe94f82b, 0xa54ff53a_5f1d36f1,
    0x510e527f_ade682d1, 0x9b05688c_2b3e6c1f, 0x1f83d9ab_fb41bd6b, 0x5be0cd19_137e2179,
]

/// The first 64 bits of the fractional parts of the cube roots of the first 80 primes (section 4.2.3).
private let sha2CubeRoots: [UInt64] = [
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
#endif
