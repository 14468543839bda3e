extension StoreService {
    /// The object that a request is about, whether it exists or not.
    struct Target {
        let id: String
        let path: ListPath

        /// Ids match `[a-zA-Z0-9][a-zA-Z0-9_-]*`.
        static func isValid(_ id: String) -> Bool {
            let isAlphanumeric = { (byte: UInt8) in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: false
                }
            }
            guard let first = id.utf8.first, isAlphanumeric(first) else { return false }
            return id.utf8.allSatisfy { isAlphanumeric($0) || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-") }
        }

        func checkID() throws(StoreRefusal) {
            guard Self.isValid(id) else { throw .invalid(.path, nil, "Invalid object id") }
        }

        /// Nobody is told of a bucket whether it is missing or of somebody else.
        var missing: StoreRefusal {
            path == .buckets ? .forbidden : .missing(id, path.objectName)
        }
    }
}
