import Synchronization

/// The members of a JSON object, in their order.
///
/// Members of the same name are kept. Names are compared by their UTF-8 bytes (RFC 8259 section 8.3), where `String`
/// compares by canonical equivalence.
public struct JSONObject: Sendable {
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
    public var members: [Member] { didSet { names = NameIndex(of: members) } }
    /// The positions of many members by name.
    private var names: NameIndex?

    /// Creates an object with members in their order.
    public init(_ members: [Member] = []) {
        self.members = members
        names = NameIndex(of: members)
    }

    /// Creates an object with the members sorted by the bytes of their names. Keeps the last member of each name.
    public init(sorting members: [Member]) {
        self.init(members)
        sort()
    }

    mutating func sort() {
        if isSorted { return }
        // The sort is stable, so that the last of a name stays the last.
        let sorted = members.sorted(by: Self.precedes)
        members = sorted.indices.filter { $0 + 1 == sorted.count || Self.precedes(sorted[$0], sorted[$0 + 1]) }.map {
            sorted[$0]
        }
    }

    private var isSorted: Bool {
        zip(members, members.dropFirst()).allSatisfy(Self.precedes)
    }

    private static func precedes(_ one: Member, _ other: Member) -> Bool {
        ByteName(one.name) < ByteName(other.name)
    }

    /// The value of the first member with a name. Setting it replaces that member or appends one, and setting `nil`
    /// removes all members of that name.
    public subscript(name: String) -> JSONValue? {
        get { position(of: name).map { members[$0].value } }
        set {
            let position = position(of: name)
            switch (position, newValue) {
            case (nil, nil): return
            case (_?, nil): members.removeAll { ByteName($0.name) == ByteName(name) }
            case (let position?, let value?):
                let names = self.names
                members[position].value = value
                // The names are where they were.
                self.names = names
            case (nil, let value?):
                var names = self.names.take()
                members.append(Member(name: name, value: value))
                // Another object may share the positions.
                guard isKnownUniquelyReferenced(&names) else { return }
                names?.append(name, at: members.count - 1)
                self.names = names
            }
        }
    }

    private func position(of name: String) -> Int? {
        if let names { return names.position(of: name, in: members) }
        Visits.add(members.count)
        return members.firstIndex { ByteName($0.name) == ByteName(name) }
    }
}

extension JSONObject: Hashable {
    /// Returns whether both objects have the same members in the same order.
    public static func == (one: JSONObject, other: JSONObject) -> Bool {
        one.members == other.members
    }

    /// Hashes the members.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(members)
    }
}

extension JSONObject: CustomStringConvertible {
    /// The JSON text on one line.
    public var description: String { JSONValue.object(self).text() }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    /// Creates an object with the members of a literal, in their order.
    public init(dictionaryLiteral members: (String, JSONValue)...) {
        self.init(members.map { Member(name: $0, value: $1) })
    }
}

/// The positions of an object's members by name. They are found when the first name is looked for.
private final class NameIndex: Sendable {
    private let positions = Mutex<[ByteName: Int]?>(nil)

    /// Returns `nil` for a few members, which are searched faster.
    init?(of members: [JSONObject.Member]) {
        if members.count <= 16 { return nil }
    }

    func position(of name: String, in members: [JSONObject.Member]) -> Int? {
        positions.withLock { positions in
            if positions == nil {
                Visits.add(members.count)
                let names = members.enumerated().map { (ByteName($1.name), $0) }
                positions = Dictionary(names) { first, _ in first }
            }
            return positions?[ByteName(name)]
        }
    }

    /// Adds a name that no member has.
    func append(_ name: String, at position: Int) {
        positions.withLock { $0?[ByteName(name)] = position }
    }
}
