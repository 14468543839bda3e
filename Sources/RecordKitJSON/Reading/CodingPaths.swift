import Synchronization

/// What the paths of a document need: where each entry is. It is found when the first path is asked for, so that a
/// document without errors costs nothing more, and a path costs its depth.
struct EntryPlaces: Sendable {
    private struct Place {
        /// The array or object.
        var parent: UInt32
        /// The number of the element or member.
        var number: UInt32
    }

    private var places: [Place] = []
    /// Names that aren't cheap to make, by twice their index, and one more if they are converted.
    private var names: [Int: String] = [:]

    /// Returns the keys that lead to an entry.
    mutating func path(to target: Int, in tape: Tape) -> [any CodingKey] {
        if target == 0 { return [] }
        if places.isEmpty { places = Self.places(of: tape) }
        var path: [any CodingKey] = []
        var tape = tape
        var index = target
        while index != 0 {
            let (parent, number) = (Int(places[index].parent), Int(places[index].number))
            // The innermost dictionary at this level or around it.
            while tape.dictionary > parent, let outer = tape.outer { tape = outer }
            if tape[parent].kind == .object {
                let converts = tape.convertsNames && tape.dictionary != parent
                path.append(JSONKey(name(index - 1, in: tape, converts: converts)))
            } else {
                path.append(JSONKey(index: number))
            }
            index = parent
        }
        return path.reversed()
    }

    private mutating func name(_ index: Int, in tape: Tape, converts: Bool) -> String {
        let key = index * 2 + (converts ? 1 : 0)
        if let name = names[key] { return name }
        let name = tape.name(tape[index], converts: converts)
        // Shorter strings need no memory.
        if converts || name.utf8.count > 15 { names[key] = name }
        return name
    }

    private static func places(of tape: Tape) -> [Place] {
        var places = [Place](repeating: Place(parent: 0, number: 0), count: tape.count)
        for container in 0..<tape.count {
            let entry = tape[container]
            guard entry.kind == .array || entry.kind == .object else { continue }
            var child = container + 1
            for number in 0..<entry.end {
                if entry.kind == .object { child += 1 }
                places[child] = Place(parent: UInt32(container), number: number)
                child = Int(tape[child].next)
            }
        }
        return places
    }
}

extension Tape {
    /// Returns the keys that lead to an entry.
    func path(to target: Int) -> [any CodingKey] {
        var document = self
        while let outer = document.outer { document = outer }
        return document.places.withLock { $0.path(to: target, in: self) }
    }
}

/// A key of a coding path. It takes no more than a string does, so that a path has no memory for each of its keys.
enum JSONKey: CodingKey {
    case name(String)
    case index(Int)
    case number(Int)

    init(_ name: String) { self = .name(name) }
    init(index: Int) { self = .index(index) }
    init?(stringValue: String) { self = .name(stringValue) }
    init?(intValue: Int) { self = .number(intValue) }

    var stringValue: String {
        switch self {
        case .name(let name): name
        case .index(let index): "Index \(index)"
        case .number(let number): "\(number)"
        }
    }

    var intValue: Int? {
        switch self {
        case .name: nil
        case .index(let number), .number(let number): number
        }
    }

    static let `super` = JSONKey("super")
}
