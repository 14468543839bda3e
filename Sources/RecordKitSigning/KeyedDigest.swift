public import Foundation
public import RecordKitDigest

/// A code that only the holders of a key can compute for a message: HMAC (RFC 2104).
///
/// ```swift
/// var code = KeyedDigest(.sha256, key: key)
/// code.update(Data("GET /records".utf8))
/// print(code.hexadecimal)
/// ```
public struct KeyedDigest: Sendable {
    private var inner: MessageDigest
    private var outer: MessageDigest

    /// Creates the code of no bytes.
    ///
    /// - Parameters:
    ///   - algorithm: The hash function.
    ///   - key: The key. A key that is longer than a block of the hash function is replaced by its digest.
    public init(_ algorithm: MessageDigest.Algorithm, key: Data) {
        var key = key.count > algorithm.blockLength ? MessageDigest.of(key, algorithm).bytes : Array(key)
        key += [UInt8](repeating: 0, count: algorithm.blockLength - key.count)
        inner = MessageDigest.of(Data(key.map { $0 ^ 0x36 }), algorithm)
        outer = MessageDigest.of(Data(key.map { $0 ^ 0x5c }), algorithm)
    }

    /// Returns the code of bytes.
    ///
    /// - Parameters:
    ///   - data: The bytes.
    ///   - algorithm: The hash function.
    ///   - key: The key.
    public static func of(_ data: Data, _ algorithm: MessageDigest.Algorithm, key: Data) -> KeyedDigest {
        var code = KeyedDigest(algorithm, key: key)
        code.update(data)
        return code
    }

    /// Appends bytes.
    ///
    /// - Parameter data: The bytes.
    public mutating func update(_ data: some DataProtocol) {
        inner.update(data)
    }

    /// The code of all bytes so far.
    public var bytes: [UInt8] {
        var digest = outer
        digest.update(Data(inner.bytes))
        return digest.bytes
    }

    /// The code of all bytes so far, in lowercase hexadecimal digits.
    public var hexadecimal: String { bytes.hexadecimal }

    /// The code of all bytes so far, in Base64 (RFC 4648 section 4).
    public var base64: String { Data(bytes).base64EncodedString() }

    /// Returns whether a received code is the code of all bytes so far.
    ///
    /// The time of the comparison doesn't depend on how many bytes are equal.
    ///
    /// - Parameter code: The received code. It must have the full length.
    public func matches(_ code: some Collection<UInt8>) -> Bool {
        let own = bytes
        return code.count == own.count && zip(code, own).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}

extension KeyedDigest: CustomStringConvertible, CustomReflectable {
    /// The name of the type. Neither the key nor the code is printed.
    public var description: String { "KeyedDigest" }

    /// A mirror without the key.
    public var customMirror: Mirror { Mirror(self, children: [:], displayStyle: .struct) }
}
