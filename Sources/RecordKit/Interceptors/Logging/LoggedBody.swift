import Foundation

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

    func text(_ body: EncodedBody, type: String?) -> String {
        let type = type.flatMap { MediaType($0) }
        return switch body.content {
        case .data(let data): text(data, type)
        case .pieces, .stream: Self.count(body.length, type)
        }
    }

    /// Returns JSON and forms with sensitive fields redacted, of anything else the size and the type.
    func text(_ data: Data, _ type: MediaType?) -> String {
        guard let parts = RedactedPart.all(in: Array(data.prefix(limit)), type, sensitive: sensitiveNames) else {
            return Self.count(data.count, type)
        }
        let text = PlainText.printable(parts.text, onOneLine: false)
        return data.count > limit ? "\(text)… (\(data.count) bytes in all)" : text
    }

    private static func count(_ length: Int?, _ type: MediaType?) -> String {
        "  (\(length.map { "\($0) bytes" } ?? "a stream") of \(type?.essence ?? "unknown type"))"
    }
}
