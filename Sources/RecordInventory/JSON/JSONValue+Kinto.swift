import Foundation
import RecordKitJSON

// What the tool adds to the values of RecordKitJSON: the rules of Kinto, and shorthands.
extension JSONView {
    /// Reads JSON as Kinto does: nested at most 200 levels deep. A byte-order mark is no JSON.
    init(stored document: some ContiguousBytes & Collection<UInt8>) throws(JSONSyntaxError) {
        // Reading a second mark fails, as it is no value.
        let mark = document.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(document.prefix(3)) : []
        if mark.isEmpty {
            try self.init(reading: document, depthLimit: 200)
        } else {
            try self.init(reading: mark + document)
        }
    }

    /// The value at a dotted path such as `price.amount`.
    func value(at path: String) -> JSONView? {
        path.split(separator: ".", omittingEmptySubsequences: false).reduce(self) { value, name in
            value?.last(String(name))
        }
    }
}

extension JSONValue {
    /// Reads JSON as Kinto stores it: the members of objects are sorted by name, and the last of each name is kept.
    init(stored document: some ContiguousBytes & Collection<UInt8>) throws(JSONSyntaxError) {
        self = try JSONView(stored: document).tree.sorted()
    }

    /// A string, or null.
    init(_ string: String?) {
        self = string.map { .string($0) } ?? .null
    }

    /// A number, or null.
    init(_ number: (some BinaryInteger)?) {
        self = number.map { .integer($0) } ?? .null
    }

    /// Creates an object, without the members that are null.
    static func leavingOutNull(_ object: JSONObject) -> JSONValue {
        .object(JSONObject(object.members.filter { $0.value != .null }))
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

    /// Appends elements with commas between them.
    mutating func list<Element>(
        _ elements: some Sequence<Element>, _ write: (Element, inout JSONText) throws -> Void
    ) rethrows {
        for (index, element) in elements.enumerated() {
            if index > 0 { raw(",") }
            try write(element, &self)
        }
    }
}
