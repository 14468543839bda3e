/// A record or a movement on the server that another program wrote and the tool cannot read.
struct Unreadable: Error, Sendable, Hashable, CustomStringConvertible {
    let id: String
    /// The SKU of the record, if it can be read.
    let sku: SKU?
    let reason: String
    /// The version of a record.
    var version: Version?
    private var isMovement = false

    /// Creates the error of a record.
    init(id: String, reason: String, version: Version? = nil) {
        (self.id, self.reason, self.version) = (id, reason, version)
        sku = SKU(recordID: id)
    }

    /// Creates the error of a movement.
    init(movement id: String, of sku: SKU?, reason: String) {
        (self.id, self.sku, self.reason) = (id, sku, reason)
        isMovement = true
    }

    var description: String {
        let record = sku?.text ?? "with the id \(id.printable)"
        let movement = id.printable + (sku.map { " of \($0.text)" } ?? "")
        return "the \(isMovement ? "movement \(movement)" : "record \(record)") cannot be read: \(reason)"
    }
}
