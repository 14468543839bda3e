extension JSONValue {
    /// The value that a dotted path leads to; nil where a key is missing.
    func value(at path: String) -> JSONValue? {
        path.split(separator: ".", omittingEmptySubsequences: false).reduce(self) { value, key in
            value?.object?[JSONKey(key)]
        }
    }

    /// The object with these fields alone; `price.amount` keeps that much of `price`.
    func subset(_ fields: [String]) -> JSONValue {
        guard let object else { return self }
        let paths = fields.map { $0.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false) }
        var subset: [JSONKey: JSONValue] = [:]
        for (key, paths) in Dictionary(grouping: paths, by: { JSONKey($0[0]) }) {
            guard let value = object[key] else { continue }
            let isWhole = value.object == nil || paths.contains { $0.count == 1 }
            subset[key] = isWhole ? value : value.subset(paths.map { String($0[1]) })
        }
        return .object(subset)
    }
}
