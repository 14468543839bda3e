/// A record on the server that another program wrote and the tool cannot read.
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
            reason = "its \(name(context.codingPath)) has the wrong type"
        case DecodingError.dataCorrupted(let context):
            reason = "its \(name(context.codingPath)) is invalid: \(context.debugDescription)"
        // On Linux Foundation throws an error of its own here, without a coding path (Swift 6.3.1).
        default: reason = "it holds a number that is too large or not whole"
        }
        self.init(id: id, reason: reason, version: version)
    }
}

/// A movement on the server that another program wrote and the tool cannot read.
struct UnreadableMovement: Error, Sendable, Hashable, CustomStringConvertible {
    let id: String
    /// The SKU of the record, if it can be read.
    let sku: SKU?
    let reason: String

    var description: String {
        "the movement \(id)\(sku.map { " of \($0.text)" } ?? "") cannot be read: \(reason)"
    }
}
