import Foundation
import RecordKitDigest

/// Bytes with a checksum, which also covers the identity of their entry and what they are.
///
/// SQLite doesn't notice that a row or a page was damaged, or belongs to another entry.
enum Sealed {
    /// What the bytes are.
    enum Part: String {
        case request, body, result
    }

    private static let length = 16

    /// Returns the bytes after their checksum.
    static func bytes(_ bytes: Data, _ part: Part, of identity: String) -> Data {
        checksum(bytes, part, identity) + bytes
    }

    /// Returns the bytes without their checksum, or `nil` if they are damaged.
    static func open(_ sealed: Data, _ part: Part, of identity: String) -> Data? {
        let bytes = Data(sealed.dropFirst(length))
        return sealed.prefix(length) == checksum(bytes, part, identity) ? bytes : nil
    }

    /// Encodes a value, without a checksum.
    static func encode(_ value: some Encodable) throws -> Data {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        return try encoder.encode(value)
    }

    /// Decodes a value, or returns `nil` if its bytes are damaged.
    static func decode<Value: Decodable>(_ sealed: Data, _ part: Part, of identity: String) -> Value? {
        open(sealed, part, of: identity).flatMap { try? PropertyListDecoder().decode(Value.self, from: $0) }
    }

    private static func checksum(_ bytes: Data, _ part: Part, _ identity: String) -> Data {
        var digest = MessageDigest(.sha256)
        digest.update(Data("\(part.rawValue)\0\(identity)\0".utf8))
        digest.update(bytes)
        return Data(digest.bytes.prefix(length))
    }
}
