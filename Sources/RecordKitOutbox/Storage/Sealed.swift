import Foundation
import RecordKitDigest

/// Bytes with a checksum, which also covers the key of their entry and what they are.
///
/// SQLite doesn't notice that a row or a page was damaged, or belongs to another entry.
struct Sealed: Sendable {
    /// What the bytes are.
    enum Part: String {
        case request, body, answer
    }

    private static let length = 16

    let bytes: Data

    /// Seals the bytes.
    init(_ bytes: Data, _ part: Part, of key: String) {
        self.bytes = Self.checksum(bytes, part, key) + bytes
    }

    /// Returns the bytes without their checksum, or `nil` if they are damaged.
    static func open(_ sealed: Data, _ part: Part, of key: String) -> Data? {
        let bytes = Data(sealed.dropFirst(length))
        return sealed.prefix(length) == checksum(bytes, part, key) ? bytes : nil
    }

    private static func checksum(_ bytes: Data, _ part: Part, _ key: String) -> Data {
        var digest = MessageDigest(.sha256)
        digest.update(Data("\(part.rawValue)\0\(key)\0".utf8))
        digest.update(bytes)
        return Data(digest.bytes.prefix(length))
    }
}
