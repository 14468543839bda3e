import Foundation

/// Where a page ends, so that the next begins there: the values of the order's fields in its last object.
struct PageToken: Equatable {
    /// One for each field of the order; nil where the object has no such field.
    let values: [JSONValue?]

    /// The end of a page whose last object is this one.
    init(_ last: StoredObject, in order: [ListQuery.Order]) {
        let data = last.fields
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
        let members = zip(order, values).compactMap { order, value in
            value.map { JSONObject.Member(name: order.name, value: $0) }
        }
        let last = JSONObject(sorting: members)
        return Data(JSONWriter.bytes(["last_object": .object(last)])).base64EncodedString()
    }
}
