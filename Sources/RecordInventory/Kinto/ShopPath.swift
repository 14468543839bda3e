import RecordKit

/// The paths of all requests, to a Kinto server or to the embedded store. The environment is the server.
enum ShopPath {
    /// The collection of the records.
    static let records = "records"

    /// The root of Kinto, which ends with a slash. It has the settings.
    static let settings: RequestPath = "/"
    static let batch: RequestPath = "batch"
    /// Checks the file of the embedded store.
    static let check: RequestPath = "check"

    static func bucket(_ bucket: String) -> RequestPath { "/buckets/\(bucket)" }

    static func collections(in bucket: String) -> RequestPath { "/buckets/\(bucket)/collections" }

    static func collection(_ name: String, in bucket: String) -> RequestPath {
        "/buckets/\(bucket)/collections/\(name)"
    }

    static func list(_ collection: String, in bucket: String) -> RequestPath {
        "/buckets/\(bucket)/collections/\(collection)/records"
    }

    /// Adds up the movements. Kinto cannot.
    static func sums(in bucket: String) -> RequestPath {
        "/buckets/\(bucket)/collections/\(Ledger.collection)/sums"
    }

    static func object(_ id: String, of collection: String, in bucket: String) -> RequestPath {
        "/buckets/\(bucket)/collections/\(collection)/records/\(id)"
    }

    static func record(_ sku: SKU, in bucket: String) -> RequestPath {
        object(sku.recordID, of: records, in: bucket)
    }

    static func movement(_ id: String, in bucket: String) -> RequestPath {
        object(id, of: Ledger.collection, in: bucket)
    }

    static func lock(in bucket: String) -> RequestPath {
        object(Ledger.lockID, of: Ledger.lockCollection, in: bucket)
    }

    static func anchor(in bucket: String) -> RequestPath { movement(Ledger.anchorID, in: bucket) }
}

extension RequestPath {
    /// Kinto 26.5.0 looks for `/batch` before it decodes a path. It takes such a path for a nested batch, and refuses
    /// everything.
    var encodedForBatch: String {
        var path = encoded
        // Replacing takes long, and every path begins with `/buckets`.
        let mayNest = path.withUTF8 { bytes in
            bytes.indices.dropFirst(3).contains {
                bytes[$0] == UInt8(ascii: "b") && bytes[$0 - 1] == UInt8(ascii: "/")
            }
        }
        return mayNest ? path.replacing("/batch", with: "/%62atch") : path
    }
}
