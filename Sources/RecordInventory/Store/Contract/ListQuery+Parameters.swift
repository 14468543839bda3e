import RecordKitJSON
import Foundation
import RecordKit

extension ListQuery {
    init(_ query: RequestQuery) throws(StoreRefusal) {
        var token: String?
        for item in query.items {
            switch item.name {
            case "_limit":
                guard let number = Int(item.value), number > 0 else { throw .invalid("_limit is not a number") }
                limit = min(number, Self.maximumLimit)
            case "_sort":
                order = try Self.order(item.value)
            case "_token": token = item.value
            // The tool asks for no other field.
            case "_fields": hasOnlyIDs = true
            // Not in Kinto's API. Kinto ignores parameters that begin with an underscore.
            case "_search": search = SearchQuery(typed: item.value)
            default: filters.append(try FieldFilter(item))
            }
        }
        // The version of a deleted object is taken too.
        includesTombstones = filters.contains { $0.field == .version }
        guard let token else { return }
        guard let json = Data(base64Encoded: token), let values = try? JSONValue(stored: json).array,
            values.count == order.count
        else { throw .invalid("_token is not one of this list") }
        after = values
    }

    /// Parses fields with commas between them. Ends with a unique one.
    private static func order(_ text: String) throws(StoreRefusal) -> [Order] {
        var order: [Order] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let name = part.drop { $0 == "-" }
            guard StoredField.isName(name) else { throw .invalid("_sort is not a field") }
            order.append(Order(name: String(name), isDescending: name.count < part.count))
            if ["id", "last_modified"].contains(name) { return order }
        }
        return order + [Order(name: "last_modified", isDescending: true)]
    }

    /// Returns the token of a page that ends with an object: the values of the sort fields in it.
    func token(after last: StoredObject) -> String {
        let fields = try? JSONView(stored: last.data)
        let values = order.map { order -> JSONValue in
            switch order.field {
            case .id: .string(last.id)
            case .version: .integer(last.version)
            case .data: fields?.value(at: order.name)?.tree.sorted() ?? .null
            }
        }
        return Data(JSONValue.array(values).bytes()).base64EncodedString()
    }
}

extension FieldFilter {
    /// Parses a parameter such as `min_quantity=1`. The value is JSON, or several values with commas between them for
    /// `in_` and `exclude_`.
    fileprivate init(_ item: RequestQuery.Item) throws(StoreRefusal) {
        comparison = Comparison.allCases.first { item.name.hasPrefix($0.rawValue) } ?? .equal
        let name = String(item.name.dropFirst(comparison.rawValue.count))
        let text = [.isIn, .isNotIn].contains(comparison) ? "[\(item.value)]" : item.value
        guard StoredField.isName(name), let value = try? JSONValue(stored: Array(text.utf8)) else {
            throw .invalid("\(item.name) is not a filter of this store")
        }
        field = StoredField(name)
        self.value = value
    }
}
