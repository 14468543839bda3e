/// Operations on a JSON document (RFC 6902): all of them, or none.
struct JSONPatch: Sendable {
    private struct Operation {
        let name: String
        let path: JSONPointer
        let from: JSONPointer?
        let value: JSONValue?
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
            try path.add(operation.value ?? .null, to: &document)
        case "replace":
            try path.replace(with: operation.value ?? .null, in: &document)
        case "remove":
            _ = try path.remove(from: &document)
        case "test":
            guard try path.value(in: document).isEqual(to: operation.value ?? .null) else {
                throw JSONPointer.Failure(reason: "found another value at \(path)")
            }
        case "copy":
            guard let from = operation.from else { return }
            try path.add(try from.value(in: document), to: &document)
        default:
            guard let from = operation.from else { return }
            try path.add(try from.remove(from: &document), to: &document)
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
        if ["move", "copy"].contains(name) && from == nil {
            throw .invalid(.body, "\(index).from", "The from should begin with a slash")
        }
        let isPermission = path.description.hasPrefix("/permissions/")
        if ["add", "replace", "test"].contains(name) && members["value"] == nil && !isPermission {
            throw .invalid(.body, nil, "JSON Patch operation failed: \(name) has no value")
        }
        return Operation(name: name, path: path, from: from, value: members["value"])
    }
}
