/// An object as the store keeps it: a bucket, a collection, a record, or the tombstone of one.
struct StoredObject: Equatable, Sendable {
    let id: String
    /// Milliseconds since 1970, and never the same twice in a list.
    let version: Int64
    /// The JSON of all other fields, without spaces.
    let data: [UInt8]

    static let tombstone = Array(#"{"deleted":true}"#.utf8)

    /// The JSON of the whole object.
    var json: [UInt8] {
        var writer = JSONWriter()
        write(to: &writer)
        return writer.bytes
    }

    /// - Parameter wanted: the fields to write besides `id` and `last_modified`; `nil` writes all.
    func write(_ wanted: [String]? = nil, to writer: inout JSONWriter) {
        let data = wanted.map { JSONWriter.bytes(.object(fields.subset($0))) } ?? data
        writer.raw(#"{"id":"#)
        writer.write(id)
        writer.raw(#","last_modified":"#)
        writer.raw(String(version).utf8)
        if data.count > 2 { writer.raw(",") }
        writer.raw(data.dropFirst())
    }

    /// The fields without `id` and `last_modified`; none of an object that is damaged.
    var fields: JSONObject {
        (try? JSONReader.read(data).object) ?? JSONObject()
    }
}
