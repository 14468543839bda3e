extension StoreService {
    /// The object that a request is about, whether it exists or not.
    struct Target {
        let id: String
        let path: ListPath

        func checkID() throws(StoreRefusal) {
            guard id.isKintoID else { throw .invalid(.path, nil, "Invalid object id") }
        }

        /// Nobody is told of a bucket whether it is missing or of somebody else.
        var missing: StoreRefusal {
            path == .buckets ? .forbidden : .missing(id, path.objectName)
        }
    }
}
