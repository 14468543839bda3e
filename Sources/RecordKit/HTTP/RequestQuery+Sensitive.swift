extension RequestQuery {
    /// Returns this query with further sensitive items, besides the well-known ones. Their values are redacted wherever the
    /// query or its call is printed, also those of the items that an array or object of that name becomes.
    ///
    /// ```swift
    /// var query: RequestQuery { (["key": key, "page": page] as RequestQuery).markingSensitive("key") }
    /// ```
    public func markingSensitive(_ names: String...) -> RequestQuery {
        var query = self
        query.sensitiveNames.formUnion(names.lazy.map { $0.lowercased() })
        return query
    }

    private var redacted: [Item] {
        let names = SensitiveNames(sensitiveNames)
        return items.map { item in
            names.isSensitive(item.name) ? Item(name: item.name, value: SensitiveNames.replacement) : item
        }
    }
}

extension RequestQuery: SelfDescribing {
    /// The items, with an ampersand between two.
    var text: String {
        redacted.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
    }

    var shown: [(name: String, value: Any)] {
        redacted.map { ($0.name, $0.value) }
    }
}
