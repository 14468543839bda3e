/// Operations on a JSON document (RFC 6902): all of them, or none.
struct JSONPatch: Sendable {
    private struct Operation {
        let name: String
        let path: JSONPointer
        let from: JSONPointer?
        let value: JSONValue?

        // A missing member is reported only when its operation runs: by then the object is known to exist.
        var neededValue: JSONValue {
            get throws(JSONPointer.Failure) {
                if let value { return value }
                guard path.description.hasPrefix("/permissions/") else {
                    throw JSONPointer.Failure(reason: "has no value")
                }
                return .null
            }
        }

        var neededSource: JSONPointer {
            get throws(JSONPointer.Failure) {
                guard let from else { throw JSONPointer.Failure(reason: "has no from that begins with a slash") }
                return from
            }
        }
    }

    /// The number of values that a patched object may have, all levels together.
    static let maximumValueCount = 100_000

    private let operations: [Operation]

    /// - Parameter body: an array of operations.
    init(_ body: JSONValue) throws(StoreRefusal) {
        guard let elements = body.array else { throw .invalid(.body, "", "The body should be a JSON array") }
        var operations: [Operation] = []
        for (index, element) in elements.enumerated() {
            operations.append(try Self.operation(element, "\(index)"))
        }
        self.operations = operations
    }

    func apply(to document: JSONValue) throws(StoreRefusal) -> JSONValue {
        var document = document
        for operation in operations {
            do {
                try Self.apply(operation, to: &document)
            } catch {
                throw .invalid(.body, nil, "JSON Patch operation failed: \(operation.name) \(error.reason)")
            }
            // A copy of the whole doubles it: a few dozen would fill the machine.
            var values = Self.maximumValueCount
            guard document.fits(depth: JSONReader.maximumDepth, values: &values) else {
                throw .invalid(.body, nil, "JSON Patch operation failed: the object grows too large or too deep")
            }
        }
        return document
    }

    private static func apply(_ operation: Operation, to document: inout JSONValue) throws(JSONPointer.Failure) {
        let path = operation.path
        switch operation.name {
        case "add":
            try path.add(try operation.neededValue, to: &document)
        case "replace":
            try path.replace(with: try operation.neededValue, in: &document)
        case "remove":
            _ = try path.remove(from: &document)
        case "test":
            guard try path.value(in: document).isEqual(to: try operation.neededValue) else {
                throw JSONPointer.Failure(reason: "found another value at \(path)")
            }
        case "copy":
            try path.add(try operation.neededSource.value(in: document), to: &document)
        default:
            try path.add(try operation.neededSource.remove(from: &document), to: &document)
        }
    }

    private static func operation(_ element: JSONValue, _ index: String) throws(StoreRefusal) -> Operation {
        guard let members = element.object else {
            throw .invalid(.body, index, "An operation should be a JSON object")
        }
        if let unknown = members.keys.filter({ !["op", "path", "from", "value"].contains($0) }).min() {
            throw .invalid(.body, index, "Unrecognized keys in mapping: \(unknown)")
        }
        let names = ["test", "add", "remove", "replace", "move", "copy"]
        guard let name = members["op"]?.string, names.contains(name) else {
            throw .invalid(.body, "\(index).op", "The op is not one of \(names.joined(separator: ", "))")
        }
        guard let path = members["path"]?.string.flatMap(JSONPointer.init) else {
            throw .invalid(.body, "\(index).path", "The path should begin with a slash")
        }
        let from = members["from"]?.string.flatMap(JSONPointer.init)
        return Operation(name: name, path: path, from: from, value: members["value"])
    }
}
