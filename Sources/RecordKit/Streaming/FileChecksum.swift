import Foundation

#if canImport(CryptoKit)
import CryptoKit
#endif

/// The checksum that a downloaded file must have.
public struct FileChecksum: Sendable, Hashable, TextConvertible {
    /// The hash functions.
    enum Algorithm: String, Sendable {
        case sha256 = "sha-256"
        case sha512 = "sha-512"

        /// The length of a digest in bytes.
        var length: Int {
            switch self {
            case .sha256: 32
            case .sha512: 64
            }
        }
    }

    let algorithm: Algorithm
    /// The digest in lowercase hexadecimal digits.
    let digits: String

    /// Returns a checksum of SHA-256.
    ///
    /// - Parameter digits: The digest in 64 hexadecimal digits, as `sha256sum` prints it. With anything else, the
    ///   download fails with ``NetworkError/invalidRequest(_:)`` before it is sent.
    public static func sha256(_ digits: String) -> FileChecksum {
        FileChecksum(algorithm: .sha256, digits: digits.lowercased())
    }

    /// Returns a checksum of SHA-512.
    ///
    /// - Parameter digits: The digest in 128 hexadecimal digits, as `sha512sum` prints it. With anything else, the
    ///   download fails with ``NetworkError/invalidRequest(_:)`` before it is sent.
    public static func sha512(_ digits: String) -> FileChecksum {
        FileChecksum(algorithm: .sha512, digits: digits.lowercased())
    }

    /// The name of the algorithm, a colon and the digest.
    var text: String { "\(algorithm.rawValue):\(digits)" }

    /// Checks that the digest has the length of its algorithm and consists of hexadecimal digits.
    func check() throws(NetworkError.InvalidRequest) {
        if digits.utf8.count == 2 * algorithm.length,
            digits.utf8.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit })
        {
            return
        }
        throw NetworkError.InvalidRequest(
            member: .options,
            reason: "the checksum is not \(2 * algorithm.length) hexadecimal digits, as \(algorithm.rawValue) has")
    }
}

extension FileChecksum {
    private init(_ algorithm: Algorithm, _ digest: some Sequence<UInt8>) {
        self.algorithm = algorithm
        digits = digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// Returns the checksum in a `Repr-Digest` field (RFC 9530 section 3), preferably that of SHA-512.
    ///
    /// Returns `nil` if the field has no checksum of these algorithms. A server may send any others.
    init?(reprDigest field: String) {
        var found: [Algorithm: FileChecksum] = [:]
        for member in field[...].parts(betweenUnquoted: ",") {
            let sides = member.split(separator: "=", maxSplits: 1)
            // A byte sequence is base64 between colons (RFC 9651 section 3.3.5). Parameters may follow.
            guard sides.count == 2, let algorithm = Algorithm(rawValue: String(sides[0])),
                let value = sides[1].parts(betweenUnquoted: ";").first, value.count > 2, value.first == ":",
                value.last == ":", let digest = Data(base64Encoded: String(value.dropFirst().dropLast())),
                digest.count == algorithm.length
            else { continue }
            found[algorithm] = FileChecksum(algorithm, digest)
        }
        guard let checksum = found[.sha512] ?? found[.sha256] else { return nil }
        self = checksum
    }

    /// Returns the checksum of bytes that are read in turn.
    ///
    /// - Parameters:
    ///   - algorithm: The hash function.
    ///   - next: Returns the next bytes, or `nil` at the end.
    static func of(
        _ algorithm: Algorithm, _ next: () async throws(NetworkError) -> Data?
    ) async throws(NetworkError) -> FileChecksum {
        func digest<Hash: HashFunction>(_ start: Hash) async throws(NetworkError) -> FileChecksum {
            var hash = start
            while let bytes = try await next() { bytes.withUnsafeBytes { hash.update(bufferPointer: $0) } }
            return FileChecksum(algorithm, hash.finalize())
        }
        switch algorithm {
        case .sha256: return try await digest(SHA256())
        case .sha512: return try await digest(SHA512())
        }
    }

    /// Returns the checksum of a string of SHA-256.
    static func of(_ text: String) -> FileChecksum {
        var hash = SHA256()
        Data(text.utf8).withUnsafeBytes { hash.update(bufferPointer: $0) }
        return FileChecksum(.sha256, hash.finalize())
    }
}
