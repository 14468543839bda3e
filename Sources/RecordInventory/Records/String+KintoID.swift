extension String {
    /// Whether it can be the id of a bucket, a collection or a record: `[a-zA-Z0-9][a-zA-Z0-9_-]*`.
    var isKintoID: Bool {
        utf8.first?.isAlphanumeric == true
            && utf8.allSatisfy { $0.isAlphanumeric || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-") }
    }
}
