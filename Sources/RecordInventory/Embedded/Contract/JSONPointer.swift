/// A place in a JSON document (RFC 6901): `/data/price/amount`.
struct JSONPointer: Sendable, CustomStringConvertible {
    struct Failure: Error {
        let reason: String
    }

    let description: String
    private let keys: [JSONKey]

    /// Nil unless the text begins with a slash.
    init?(_ text: String) {
        guard text.hasPrefix("/") else { return nil }
        description = text
        keys = text.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map {
            JSONKey($0.replacing("~1", with: "/").replacing("~0", with: "~"))
        }
    }

    func value(in document: JSONValue) throws(Failure) -> JSONValue {
        var value = document
        for key in keys {
            switch value {
            case .object(let members):
                guard let member = members[key] else { throw missing }
                value = member
            case .array(let elements):
                value = elements[try index(key, upTo: elements.count - 1)]
            default:
                throw missing
            }
        }
        return value
    }

    func add(_ value: JSONValue, to document: inout JSONValue) throws(Failure) {
        try edit(&document, keys[...]) { (container, key) throws(Failure) in
            switch container {
            case .object(var members):
                members[key] = value
                container = .object(members)
            case .array(var elements):
                elements.insert(value, at: key == "-" ? elements.count : try index(key, upTo: elements.count))
                container = .array(elements)
            default:
                throw missing
            }
        }
    }

    func replace(with value: JSONValue, in document: inout JSONValue) throws(Failure) {
        _ = try self.value(in: document)
        try edit(&document, keys[...]) { (container, key) throws(Failure) in
            switch container {
            case .object(var members):
                members[key] = value
                container = .object(members)
            case .array(var elements):
                elements[try index(key, upTo: elements.count - 1)] = value
                container = .array(elements)
            default:
                throw missing
            }
        }
    }

    /// Takes the value out, and answers it.
    func remove(from document: inout JSONValue) throws(Failure) -> JSONValue {
        let removed = try value(in: document)
        try edit(&document, keys[...]) { (container, key) throws(Failure) in
            switch container {
            case .object(var members):
                members[key] = nil
                container = .object(members)
            case .array(var elements):
                elements.remove(at: try index(key, upTo: elements.count - 1))
                container = .array(elements)
            default:
                throw missing
            }
        }
        return removed
    }

    /// Walks to what holds the last key, and lets `change` change it.
    private func edit(
        _ value: inout JSONValue, _ keys: ArraySlice<JSONKey>,
        _ change: (inout JSONValue, JSONKey) throws(Failure) -> Void
    ) throws(Failure) {
        guard let key = keys.first else { throw missing }
        guard keys.count > 1 else { return try change(&value, key) }
        switch value {
        case .object(var members):
            guard var member = members[key] else { throw missing }
            try edit(&member, keys.dropFirst(), change)
            members[key] = member
            value = .object(members)
        case .array(var elements):
            let index = try index(key, upTo: elements.count - 1)
            try edit(&elements[index], keys.dropFirst(), change)
            value = .array(elements)
        default:
            throw missing
        }
    }

    private func index(_ key: JSONKey, upTo last: Int) throws(Failure) -> Int {
        // Digits alone: Int would take "+1" and "01" as well.
        guard let index = Int(key.text), String(index) == key.text, index >= 0, index <= last else { throw missing }
        return index
    }

    private var missing: Failure {
        Failure(reason: "found nothing at \(description)")
    }
}
