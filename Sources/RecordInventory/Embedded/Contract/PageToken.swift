import Foundation

/// Where a page ends, so that the next begins there: the values of the order's fields in its last object.
struct PageToken: Equatable {
    /// One for each field of the order; nil where the object has no such field.
    let values: [JSONValue?]

    /// The end of a page whose last object is this one.
    init(_ last: StoredObject, in order: [ListQuery.Order]) throws(JSONSyntaxError) {
        let data = JSONValue.object(try last.fields())
        values = order.map { order in
            switch order.field {
            case .id: .string(last.id)
            case .version: .integer(last.version)
            case .data, .absent: data.value(at: order.name)
            }
        }
    }

    /// Nil when the text is no token, or not one for this order.
    init?(_ text: String, for order: [ListQuery.Order]) {
        guard let json = Data(base64Encoded: text),
            let members = try? JSONReader.read(Array(json)).object,
            let last = members["last_object"]?.object
        else { return nil }
        values = order.map { last[$0.name] }
        for (order, value) in zip(order, values) {
            switch order.field {
            case .id where value?.string == nil, .version where value?.integer == nil: return nil
            default: break
            }
        }
    }

    func text(for order: [ListQuery.Order]) -> String {
        var last: [String: JSONValue] = [:]
        for (order, value) in zip(order, values) { last[order.name] = value }
        return Data(JSONWriter.bytes(["last_object": .object(last)])).base64EncodedString()
    }
}

extension JSONValue {
    /// The value that a dotted path leads to; nil where a key is missing.
    func value(at path: String) -> JSONValue? {
        path.split(separator: ".", omittingEmptySubsequences: false).reduce(self) { value, key in
            value?.object?[String(key)]
        }
    }

    /// The object with these fields alone; `price.amount` keeps that much of `price`.
    func subset(_ fields: [String]) -> JSONValue {
        guard let object else { return self }
        let paths = fields.map { $0.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false) }
        var subset: [String: JSONValue] = [:]
        for (key, paths) in Dictionary(grouping: paths, by: { String($0[0]) }) {
            guard let value = object[key] else { continue }
            let isWhole = value.object == nil || paths.contains { $0.count == 1 }
            subset[key] = isWhole ? value : value.subset(paths.map { String($0[1]) })
        }
        return .object(subset)
    }
}
