/// A record of the server's that somebody else wrote, and that is none of ours.
struct UnreadableRecord: Error, Sendable, Hashable, CustomStringConvertible {
    let id: String
    let reason: String
    var version: Version?

    var description: String {
        "the record \(SKU(recordID: id)?.text ?? "with the id \(id)") cannot be read: \(reason)"
    }
}

extension UnreadableRecord {
    init(id: String, version: Version?, _ error: any Error) {
        func name(_ path: [any CodingKey]) -> String {
            path.filter { $0.intValue == nil && $0.stringValue != "data" }.map(\.stringValue).joined(separator: ".")
        }
        let reason: String
        switch error {
        case DecodingError.keyNotFound(let key, let context):
            reason = "it has no \(name(context.codingPath + [key]))"
        case DecodingError.valueNotFound(_, let context): reason = "its \(name(context.codingPath)) is null"
        case DecodingError.typeMismatch(_, let context):
            reason = "its \(name(context.codingPath)) is not of the right kind"
        case DecodingError.dataCorrupted(let context):
            reason = "its \(name(context.codingPath)) is not right: \(context.debugDescription)"
        // On Linux Foundation throws an error of its own here, which names no place.
        default: reason = "it holds a number that is too large, or no whole one"
        }
        self.init(id: id, reason: reason, version: version)
    }
}
