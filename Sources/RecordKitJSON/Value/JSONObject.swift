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
    public var members: [Member] {
        get { names?.kept(stored) ?? stored }
        _modify {
            compact()
            defer { names = NameIndex(of: stored) }
            yield &stored
        }
    }
    /// The members, and removed ones until they are half of all: removing one moves none of the others.
    private var stored: [Member]
    /// The positions of many members by name.
    private var names: NameIndex?

    /// Creates an object with members in their order.
    public init(_ members: [Member] = []) {
        stored = members
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
        // Without those that were removed, the others are sorted, too.
        stored.indices.dropFirst().allSatisfy { Self.precedes(stored[$0 - 1], stored[$0]) }
    }

    private static func precedes(_ one: Member, _ other: Member) -> Bool {
        ByteName(one.name) < ByteName(other.name)
    }

    /// The value of the first member with a name. Setting it replaces that member or appends one, and setting `nil`
    /// removes all members of that name.
    public subscript(name: String) -> JSONValue? {
        get { position(of: name).map { stored[$0].value } }
        set {
            switch (position(of: name), newValue) {
            case (nil, nil): return
            case (let position?, let value?): stored[position].value = value
            case (nil, let value?):
                stored.append(Member(name: name, value: value))
                if names == nil {
                    names = NameIndex(of: stored)
                } else {
                    ownNames()
                    names?.append(name, at: stored.count - 1)
                }
            case (_?, nil) where names == nil:
                Visits.add(stored.count)
                stored.removeAll { ByteName($0.name) == ByteName(name) }
            case (_?, nil):
                ownNames()
                if let removed = names?.remove(name), removed * 2 > stored.count { compact() }
            }
        }
    }

    /// Removes the members that only the positions lack.
    private mutating func compact() {
        guard let names else { return }
        stored = names.kept(stored)
        self.names = NameIndex(of: stored)
    }

    /// Copies the positions if another object shares them.
    private mutating func ownNames() {
        if !isKnownUniquelyReferenced(&names) { names = names?.copy() }
    }

    private func position(of name: String) -> Int? {
        if let names { return names.position(of: name, in: stored) }
        Visits.add(stored.count)
        return stored.firstIndex { ByteName($0.name) == ByteName(name) }
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

/// The positions of an object's members by name, and which of them were removed. The names are looked at when the first
/// is looked for.
private final class NameIndex: Sendable {
    private struct State {
        /// The first position of each name.
        var positions: [ByteName: Int]?
        /// The next position of the same name.
        var next: [Int: Int] = [:]
        var removed: Set<Int> = []
    }

    private let state: Mutex<State>

    /// Returns `nil` for a few members, which are searched faster.
    convenience init?(of members: [JSONObject.Member]) {
        if members.count <= 16 { return nil }
        self.init(State())
    }

    private init(_ state: State) {
        self.state = Mutex(state)
    }

    func copy() -> NameIndex {
        NameIndex(state.withLock { $0 })
    }

    func position(of name: String, in members: [JSONObject.Member]) -> Int? {
        state.withLock { state -> Int? in
            if let positions = state.positions { return positions[ByteName(name)] }
            Visits.add(members.count)
            var positions = [ByteName: Int](minimumCapacity: members.count)
            for (position, member) in members.enumerated().reversed() {
                if let next = positions.updateValue(position, forKey: ByteName(member.name)) {
                    state.next[position] = next
                }
            }
            state.positions = positions
            return positions[ByteName(name)]
        }
    }

    /// Adds a name that no member has.
    func append(_ name: String, at position: Int) {
        state.withLock { $0.positions?[ByteName(name)] = position }
    }

    /// Removes the members of a name that was looked for. Returns how many were removed in all.
    func remove(_ name: String) -> Int {
        state.withLock { state in
            var position = state.positions?.removeValue(forKey: ByteName(name))
            while let removed = position {
                state.removed.insert(removed)
                position = state.next[removed]
            }
            return state.removed.count
        }
    }

    /// Returns the members without those that were removed.
    func kept(_ members: [JSONObject.Member]) -> [JSONObject.Member] {
        let removed = state.withLock { $0.removed }
        if removed.isEmpty { return members }
        Visits.add(members.count)
        return members.indices.filter { !removed.contains($0) }.map { members[$0] }
    }
}
