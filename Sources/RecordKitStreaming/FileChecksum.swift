import Foundation
import RecordKit
import RecordKitDigest
import RecordKitStructuredFields

/// The checksum that a downloaded file must have.
public struct FileChecksum: Sendable, Hashable, CustomStringConvertible {
    let algorithm: MessageDigest.Algorithm
    /// The digest in lowercase hexadecimal digits.
    let digits: String

    /// Returns a checksum of SHA-256.
    ///
    /// - Parameter digits: The digest in 64 hexadecimal digits, as `sha256sum` prints it. With anything else, the
    ///   download fails with `NetworkError.invalidRequest(_:)` before it is sent.
    public static func sha256(_ digits: String) -> FileChecksum {
        FileChecksum(algorithm: .sha256, digits: digits.lowercased())
    }

    /// Returns a checksum of SHA-512.
    ///
    /// - Parameter digits: The digest in 128 hexadecimal digits, as `sha512sum` prints it. With anything else, the
    ///   download fails with `NetworkError.invalidRequest(_:)` before it is sent.
    public static func sha512(_ digits: String) -> FileChecksum {
        FileChecksum(algorithm: .sha512, digits: digits.lowercased())
    }

    /// The name of the algorithm, a colon and the digest.
    public var description: String { "\(algorithm.rawValue):\(digits)" }

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
    init(_ digest: MessageDigest) {
        algorithm = digest.algorithm
        digits = digest.hexadecimal
    }

    /// Returns the checksum in a `Repr-Digest` or `Content-Digest` field (RFC 9530 sections 2 and 3), preferably that
    /// of SHA-512.
    ///
    /// Returns `nil` if the field has no checksum of these algorithms, or isn't valid (RFC 9651 section 4.2). A server
    /// may send any others.
    init?(digestField field: String) {
        var found: [MessageDigest.Algorithm: FileChecksum] = [:]
        for (name, member) in StructuredField.dictionary(field) ?? [] {
            guard let algorithm = MessageDigest.Algorithm(rawValue: name),
                case .bytes(let digest)? = member.item?.value,
                digest.count == algorithm.length
            else { continue }
            let digits = digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            found[algorithm] = FileChecksum(algorithm: algorithm, digits: digits)
        }
        guard let checksum = found[.sha512] ?? found[.sha256] else { return nil }
        self = checksum
    }
}
