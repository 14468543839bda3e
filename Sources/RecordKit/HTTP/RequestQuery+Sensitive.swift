extension RequestQuery {
    /// Returns this query with further sensitive items, besides the well-known ones. Their values are printed neither
    /// here nor in the call that is made with it, and neither are the items that an array or object of that name becomes.
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

extension RequestQuery: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The items, the values of sensitive ones redacted.
    public var description: String {
        redacted.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
    }

    public var debugDescription: String { description }

    public var customMirror: Mirror {
        Mirror(self, children: redacted.map { ($0.name as String?, $0.value as Any) }, displayStyle: .dictionary)
    }
}
