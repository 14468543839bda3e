/// A record on the server that another program wrote and the tool cannot read.
struct UnreadableRecord: Error, Sendable, Hashable, CustomStringConvertible {
    let id: String
    let reason: String
    var version: Version?

    var description: String {
        "the record \(SKU(recordID: id)?.text ?? "with the id \(id.printable)") cannot be read: \(reason)"
    }
}

/// A movement on the server that another program wrote and the tool cannot read.
struct UnreadableMovement: Error, Sendable, Hashable, CustomStringConvertible {
    let id: String
    /// The SKU of the record, if it can be read.
    let sku: SKU?
    let reason: String

    var description: String {
        "the movement \(id.printable)\(sku.map { " of \($0.text)" } ?? "") cannot be read: \(reason)"
    }
}
