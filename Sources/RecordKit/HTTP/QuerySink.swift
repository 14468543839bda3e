/// Takes the items of one encoding, in order.
final class QuerySink {
    let options: QueryEncoder
    private var items: [RequestQuery.Item] = []
    /// Where each item comes from.
    private(set) var paths: [[any CodingKey]] = []
    /// Lists between commas, which are whole only at the end, and where their items go.
    private var lists: [(index: Int, list: QueryList)] = []

    init(_ options: QueryEncoder) {
        self.options = options
    }

    func add(_ name: String, _ value: String, from path: [any CodingKey]) {
        items.append(RequestQuery.Item(name: name, value: value))
        paths.append(path)
    }

    func add(_ list: QueryList) {
        lists.append((items.count, list))
    }

    func finish() -> [RequestQuery.Item] {
        for (index, list) in lists.reversed() where !list.elements.isEmpty {
            items.insert(list.item, at: index)
        }
        return items
    }
}

/// A list that becomes one item.
final class QueryList {
    private let name: String
    var elements: [String] = []

    init(name: String) {
        self.name = name
    }

    var item: RequestQuery.Item {
        var encoded = ""
        PercentEncoding.append(name, to: &encoded)
        for (index, element) in elements.enumerated() {
            encoded += index == 0 ? "=" : ","
            PercentEncoding.append(element, to: &encoded)
        }
        return RequestQuery.Item(name: name, value: elements.joined(separator: ","), percentEncoded: encoded)
    }
}
