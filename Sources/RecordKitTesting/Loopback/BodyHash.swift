/// A fast 64-bit fingerprint, to tell whether a large body arrived byte for byte. It is no cryptographic hash.
///
/// FNV-1a over words of eight bytes, little-endian, the last one filled with zeros, and then over the length. How the
/// bytes are cut into pieces does not matter.
public struct BodyHash: Hashable, Sendable {
    private var state: UInt64 = 0xcbf2_9ce4_8422_2325
    private var word: UInt64 = 0
    private var length: UInt64 = 0

    public init() {}

    /// The fingerprint of these bytes.
    public init(_ bytes: some Collection<UInt8>) {
        update(bytes)
    }

    /// Adds bytes at the end.
    public mutating func update(_ bytes: some Collection<UInt8>) {
        if bytes.withContiguousStorageIfAvailable({ update(UnsafeRawBufferPointer($0)) }) == nil {
            Array(bytes).withUnsafeBytes { update($0) }
        }
    }

    public static func == (left: BodyHash, right: BodyHash) -> Bool {
        left.value == right.value
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(value)
    }

    private var value: UInt64 {
        var state = state
        if length % 8 != 0 { Self.mix(word, into: &state) }
        Self.mix(length, into: &state)
        return state
    }

    private mutating func update(_ bytes: UnsafeRawBufferPointer) {
        var index = 0
        while index < bytes.count {
            if length % 8 == 0, bytes.count - index >= 8 {
                let whole = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                Self.mix(UInt64(littleEndian: whole), into: &state)
                index += 8
                length += 8
            } else {
                word |= UInt64(bytes[index]) << (8 * (length % 8))
                index += 1
                length += 1
                if length % 8 == 0 {
                    Self.mix(word, into: &state)
                    word = 0
                }
            }
        }
    }

    private static func mix(_ word: UInt64, into state: inout UInt64) {
        state = (state ^ word) &* 0x100_0000_01b3
    }
}
