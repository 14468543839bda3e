extension RequestQuery {
    /// This query with further items secret beside the well-known ones, without regard to case: never printed, here and
    /// in the call that is made with it. What an array or an object of that name becomes is secret too.
    ///
    /// ```swift
    /// var query: RequestQuery { (["key": key, "page": page] as RequestQuery).markingSecret("key") }
    /// ```
    public func markingSecret(_ names: String...) -> RequestQuery {
        var query = self
        query.secretNames.formUnion(names.lazy.map { $0.lowercased() })
        return query
    }

    private var redacted: [Item] {
        let names = SecretNames(secretNames)
        return items.map { item in
            // As in the address that the query becomes, a value may be an address with a secret in it.
            guard names.isSecret(item.name) || AddressSecrets.holdsSecret(item.value, names) else { return item }
            return Item(name: item.name, value: SecretNames.replacement)
        }
    }
}

extension RequestQuery: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The items, secret ones redacted.
    public var description: String {
        redacted.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
    }

    public var debugDescription: String { description }

    public var customMirror: Mirror {
        Mirror(self, children: redacted.map { ($0.name as String?, $0.value as Any) }, displayStyle: .dictionary)
    }
}
