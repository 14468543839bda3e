import RecordKit

/// The format of a list whose elements are read one by one.
///
/// See ``RecordKit/NetworkManager/elements(for:at:format:configure:)``.
public struct ElementFormat: Sendable, Hashable {
    private enum Kind {
        case array
        case lines
        case sequence
    }

    private let kind: Kind

    private init(_ kind: Kind) {
        self.kind = kind
    }

    /// A JSON array, which may be within objects.
    public static let array = ElementFormat(.array)
    /// One JSON value per line, as in NDJSON and JSON Lines. Blank lines are skipped.
    public static let lines = ElementFormat(.lines)
    /// A JSON text sequence (RFC 7464): each value after the byte 1E.
    public static let sequence = ElementFormat(.sequence)

    /// Returns the format of a media type: ``array`` unless the type is one of those for the other two.
    init(of type: MediaType?) {
        let subtype = type?.essence.split(separator: "/").last.map { String($0) } ?? ""
        if Self.lineSubtypes.contains(subtype) {
            self = .lines
        } else if subtype == "json-seq" || subtype.hasSuffix("+json-seq") {
            self = .sequence
        } else {
            self = .array
        }
    }

    /// None of them is registered, so several are in use.
    private static let lineSubtypes: Set<String> = [
        "x-ndjson", "ndjson", "x-jsonl", "jsonl", "x-jsonlines", "jsonlines", "x-json-stream", "stream+json",
    ]
}
