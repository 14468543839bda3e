import RecordKitJSON

// What the tool adds to the values of RecordKitJSON: the rules of Kinto, and shorthands.
extension JSONValue {
    /// Reads JSON as Kinto stores it: the members of objects are sorted by name, and the last of each name is kept. Nested at
    /// most 200 levels deep. A byte-order mark is no JSON.
    init(stored document: [UInt8]) throws(JSONSyntaxError) {
        let hasMark = document.starts(with: [0xEF, 0xBB, 0xBF])
        // Reading a second mark fails, as it is no value.
        self = try JSONValue(reading: hasMark ? document.prefix(3) + document : document, maximumDepth: 200).sorted()
    }

    /// A string, or null.
    init(_ string: String?) {
        self = string.map { .string($0) } ?? .null
    }

    /// A number, or null.
    init(_ number: (some BinaryInteger)?) {
        self = number.map { .integer($0) } ?? .null
    }

    /// Returns the object with more members. Null becomes an object if there are any.
    func adding(_ added: [JSONObject.Member]) -> JSONValue {
        switch self {
        case .object(let object): .object(JSONObject(object.members + added))
        case .null where !added.isEmpty: .object(JSONObject(added))
        default: self
        }
    }
}

extension JSONObject {
    /// Removes a member and returns its value.
    mutating func remove(_ name: String) -> JSONValue? {
        defer { self[name] = nil }
        return self[name]
    }

    /// The members of both objects, sorted. Where both have one, that of `other`.
    func merging(_ other: JSONObject) -> JSONObject {
        JSONObject(sorting: members + other.members)
    }

    /// The value at a dotted path such as `price.amount`.
    func value(at path: String) -> JSONValue? {
        path.split(separator: ".", omittingEmptySubsequences: false).reduce(JSONValue.object(self)) { value, name in
            value?.object?[String(name)]
        }
    }
}

/// JSON text that is put together from parts, some of which are text already.
struct JSONText {
    private(set) var bytes: [UInt8] = []

    mutating func write(_ value: JSONValue) { value.append(to: &bytes) }

    mutating func write(_ string: String) { write(JSONValue.string(string)) }

    /// Appends what is JSON, or a part of it, already.
    mutating func raw(_ text: StaticString) {
        bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Appends what is JSON, or a part of it, already.
    mutating func raw(_ text: some Sequence<UInt8>) {
        bytes.append(contentsOf: text)
    }
}
