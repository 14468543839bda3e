/// The members of a JSON object, in their order.
///
/// Members of the same name are kept. Names are compared by their UTF-8 bytes (RFC 8259 section 8.3), where `String`
/// compares by canonical equivalence.
public struct JSONObject: Hashable, Sendable {
    /// A member: a name and a value.
    public struct Member: Hashable, Sendable {
        /// The name.
        public var name: String
        /// The value.
        public var value: JSONValue

        /// Creates a member.
        public init(name: String, value: JSONValue) {
            self.name = name
            self.value = value
        }
    }

    /// The members in their order.
    public var members: [Member]

    /// Creates an object with members in their order.
    public init(_ members: [Member] = []) {
        self.members = members
    }

    /// Creates an object with the members sorted by the bytes of their names. Keeps the last member of each name.
    public init(sorting members: [Member]) {
        self.members = members
        sort()
    }

    mutating func sort() {
        if isSorted { return }
        // The sort is stable, so that the last of a name stays the last.
        members.sort(by: Self.precedes)
        for index in members.indices.dropLast().reversed() where !Self.precedes(members[index], members[index + 1]) {
            members.remove(at: index)
        }
    }

    /// The value of the first member with a name. Setting it replaces that member or appends one, and setting `nil`
    /// removes all members of that name.
    public subscript(name: String) -> JSONValue? {
        get { index(of: name).map { members[$0].value } }
        set {
            guard let newValue else { return members.removeAll { $0.name.utf8.elementsEqual(name.utf8) } }
            if let index = index(of: name) {
                members[index].value = newValue
            } else {
                members.append(Member(name: name, value: newValue))
            }
        }
    }

    private func index(of name: String) -> Int? {
        // Most names differ in length, which is compared faster than bytes.
        members.firstIndex { $0.name.utf8.count == name.utf8.count && $0.name.utf8.elementsEqual(name.utf8) }
    }

    private var isSorted: Bool {
        zip(members, members.dropFirst()).allSatisfy(Self.precedes)
    }

    private static func precedes(_ one: Member, _ other: Member) -> Bool {
        var (one, other) = (one.name, other.name)
        // Three times as fast as comparing the views of the strings.
        return one.withUTF8 { one in other.withUTF8 { other in one.lexicographicallyPrecedes(other) } }
    }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    /// Creates an object with the members of a literal, in their order.
    public init(dictionaryLiteral members: (String, JSONValue)...) {
        self.init(members.map { Member(name: $0, value: $1) })
    }
}
