/// Where a list of objects is: the buckets, a bucket's collections, or a collection's records.
enum ListPath: Hashable, Sendable {
    case buckets
    case collections(bucket: String)
    case records(bucket: String, collection: String)

    /// The path after the version prefix.
    var path: String {
        switch self {
        case .buckets: "/buckets"
        case .collections(let bucket): "/buckets/\(bucket)/collections"
        case .records(let bucket, let collection): "/buckets/\(bucket)/collections/\(collection)/records"
        }
    }

    /// What one object of the list is called.
    var objectName: String {
        switch self {
        case .buckets: "bucket"
        case .collections: "collection"
        case .records: "record"
        }
    }

    /// The list that an object of this one holds; a record holds none.
    func list(heldBy id: String) -> ListPath? {
        switch self {
        case .buckets: .collections(bucket: id)
        case .collections(let bucket): .records(bucket: bucket, collection: id)
        case .records: nil
        }
    }
}
