import Foundation
import RecordKit

/// Bodies as they are logged.
struct LoggedBody {
    private let sensitiveNames: Set<String>
    private let limit: Int

    /// - Parameters:
    ///   - sensitiveNames: the names that are sensitive besides the well-known ones.
    ///   - limit: how many bytes of a body are written.
    init(_ sensitiveNames: Set<String>, limit: Int) {
        self.sensitiveNames = sensitiveNames
        self.limit = limit
    }

    func text(_ body: EncodedBody, type: String) -> String {
        let type = MediaType(type)
        return switch body.content {
        case .data(let data): text(data, type)
        case .pieces, .stream: Self.count(body.length, type)
        }
    }

    /// Returns JSON and forms with sensitive fields redacted, of anything else the size and the type.
    func text(_ data: Data, _ type: MediaType?) -> String {
        guard let parts = RedactedPart.all(in: data.prefix(limit), type, sensitive: sensitiveNames) else {
            return Self.count(data.count, type)
        }
        let text = Self.text(of: parts).printable(onOneLine: false)
        return data.count > limit ? "\(text)… (\(data.count) bytes in all)" : text
    }

    private static func text(of parts: [RedactedPart]) -> String {
        var bytes: [UInt8] = []
        for part in parts {
            switch part {
            case .plain(let plain): bytes += plain
            case .sensitive: bytes += Array("redacted".utf8)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func count(_ length: Int?, _ type: MediaType?) -> String {
        "  (\(length.map { "\($0) bytes" } ?? "a stream") of \(type?.essence ?? "unknown type"))"
    }
}
