/// The members of a JSON object, in the order in which they are written.
///
/// Compares names by their UTF-8 bytes (RFC 8259 section 8.3). `String` compares by canonical equivalence, so the two
/// spellings of "é" would be one member.
struct JSONObject: Hashable, Sendable {
    struct Member: Hashable, Sendable {
        let name: String
        let value: JSONValue
    }

    private(set) var members: [Member]

    init(_ members: [Member] = []) {
        self.members = members
    }

    /// Sorts the members by name, so that equal objects have equal JSON text. Keeps the last member of each name.
    init(sorting members: [Member]) {
        func precedes(_ one: Member, _ other: Member) -> Bool {
            one.name.utf8.lexicographicallyPrecedes(other.name.utf8)
        }
        self.members = members
        if zip(members, members.dropFirst()).allSatisfy(precedes) { return }
        self.members.sort(by: precedes)
        for index in members.indices.dropLast().reversed() where !precedes(self.members[index], self.members[index + 1])
        {
            self.members.remove(at: index)
        }
    }

    subscript(name: String) -> JSONValue? {
        index(of: name).map { members[$0].value }
    }

    /// Removes a member and returns its value.
    mutating func remove(_ name: String) -> JSONValue? {
        index(of: name).map { members.remove(at: $0).value }
    }

    private func index(of name: String) -> Int? {
        members.firstIndex { $0.name.utf8.elementsEqual(name.utf8) }
    }
}

extension JSONObject {
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

extension JSONValue {
    /// Returns the object with more members. Null becomes an object if there are any.
    func adding(_ added: [JSONObject.Member]) -> JSONValue {
        switch self {
        case .object(let object): .object(JSONObject(object.members + added))
        case .null where !added.isEmpty: .object(JSONObject(added))
        default: self
        }
    }
}
