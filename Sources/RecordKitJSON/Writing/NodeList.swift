import Foundation

/// What was encoded: a node for each value, and the JSON text of its name and of a single value.
///
/// Containers can be used in any order, so the text is put together at the end.
struct NodeList {
    struct Node {
        var kind = Kind.empty
        var parent: Int32
        /// The number of elements or members of the parent before this one, without those that were removed.
        var number: Int32 = 0
        /// The next element or member of the parent. 0 if there is none.
        var next: Int32 = 0
        var first: Int32 = 0
        var last: Int32 = 0
        /// The text of the name, with a colon, and then that of the value.
        var start: Int
        var nameEnd: Int
        var end: Int
    }

    enum Kind: UInt8 {
        /// Nothing was encoded.
        case empty
        case single
        case tree
        case array
        case object
        /// An object whose names no strategy converts.
        case dictionary
        /// The value could not be encoded, or another was encoded for its name.
        case removed
    }

    let format: JSONWriter.OutputFormatting
    let convertsNames: Bool
    private(set) var nodes: UnsafeMutablePointer<Node>
    private var count = 0
    private var capacity = 64
    private(set) var text = ByteBuffer(capacity: 1_024)
    private(set) var trees: [JSONValue] = []
    /// Long names that paths have, by their nodes.
    private var names: [Int: String] = [:]
    /// The members of objects with many containers.
    private var indices: [Int: MemberIndex] = [:]

    init(_ writer: JSONWriter) {
        format = writer.outputFormatting
        if case .convertToSnakeCase = writer.keyEncodingStrategy { convertsNames = true } else { convertsNames = false }
        nodes = .allocate(capacity: capacity)
        _ = add(Node(parent: -1, start: 0, nameEnd: 0, end: 0))
    }

    func deallocate() {
        nodes.deallocate()
        text.deallocate()
    }

    @inline(__always)
    private mutating func add(_ node: Node) -> Int {
        if count == capacity { grow() }
        (nodes + count).initialize(to: node)
        count += 1
        return count - 1
    }

    private mutating func grow() {
        precondition(capacity < Int32.max / 2, "The value has more than 2 billion parts.")
        let larger = UnsafeMutablePointer<Node>.allocate(capacity: capacity * 2)
        larger.moveInitialize(from: nodes, count: count)
        nodes.deallocate()
        nodes = larger
        capacity *= 2
    }

    /// Makes a node an array or object, unless it is one. Its elements or members are kept then.
    mutating func open(_ node: Int, as kind: Kind) {
        if nodes[node].kind == kind || nodes[node].kind == .dictionary && kind == .object { return }
        nodes[node].kind = kind
        nodes[node].first = 0
        nodes[node].last = 0
    }

    /// Adds an element to an array.
    @inline(__always)
    mutating func addElement(to parent: Int) -> Int {
        addChild(Node(parent: Int32(parent), start: text.count, nameEnd: text.count, end: text.count))
    }

    /// Adds a member to an object.
    @inline(__always)
    mutating func addMember(_ name: String, to parent: Int) -> Int {
        let start = text.count
        if convertsNames, nodes[parent].kind != .dictionary {
            text.append(string: SnakeCase.snakeCase(name), escapingSlashes: escapesSlashes)
        } else {
            text.append(string: name, escapingSlashes: escapesSlashes)
        }
        let nameEnd = text.count
        text.append(UInt8(ascii: ":"))
        if isPretty { text.append(UInt8(ascii: " ")) }
        return addChild(Node(parent: Int32(parent), start: start, nameEnd: nameEnd, end: text.count))
    }

    @inline(__always)
    private mutating func addChild(_ child: Node) -> Int {
        let parent = Int(child.parent)
        Visits.add()
        let node = add(child)
        let last = Int(nodes[parent].last)
        if last == 0 {
            nodes[parent].first = Int32(node)
        } else {
            nodes[last].next = Int32(node)
            nodes[node].number = nodes[last].number + 1
        }
        nodes[parent].last = Int32(node)
        return node
    }

    /// Returns the number of elements or members that were encoded, without those that failed.
    func childCount(of parent: Int) -> Int {
        let last = Int(nodes[parent].last)
        return last == 0 ? 0 : Int(nodes[last].number) + 1
    }

    /// Sets the value of a node to what `write` appends.
    @inline(__always)
    mutating func set(_ node: Int, _ write: (inout ByteBuffer) -> Void) {
        if nodes[node].end != text.count || nodes[node].kind != .empty { moveName(of: node) }
        write(&text)
        nodes[node].kind = .single
        nodes[node].end = text.count
    }

    /// Writes the name again, since other text follows it or it has a value.
    private mutating func moveName(of node: Int) {
        let start = text.count
        let nameEnd = nodes[node].nameEnd
        let hasName = nameEnd > nodes[node].start
        text.appendAgain(nodes[node].start..<(hasName ? nameEnd + (isPretty ? 2 : 1) : nameEnd))
        nodes[node].nameEnd = start + nameEnd - nodes[node].start
        nodes[node].start = start
    }

    mutating func set(_ node: Int, tree: JSONValue) {
        nodes[node].kind = .tree
        nodes[node].first = Int32(trees.count)
        trees.append(tree)
    }

    mutating func remove(_ node: Int) {
        if nodes[node].kind == .removed { return }
        nodes[node].kind = .removed
        // The next element gets its number.
        nodes[node].number -= 1
    }

    mutating func keepNames(_ node: Int) {
        nodes[node].kind = .dictionary
    }

    var isPretty: Bool { format.contains(.prettyPrinted) }
    var escapesSlashes: Bool { !format.contains(.withoutEscapingSlashes) }

    /// Returns the keys that lead to a node.
    mutating func path(to node: Int) -> [any CodingKey] {
        var path: [any CodingKey] = []
        var node = node
        while nodes[node].parent >= 0 {
            let parent = Int(nodes[node].parent)
            if nodes[parent].kind == .array {
                path.append(JSONKey(index: Int(nodes[node].number)))
            } else {
                let name = names[node] ?? string(of: node)
                if name.utf8.count > 15 { names[node] = name }
                path.append(JSONKey(name))
            }
            Visits.add()
            node = parent
        }
        return path.reversed()
    }

    /// Returns the name of a node as JSON text.
    private func name(_ node: Int) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: text.start + nodes[node].start, count: nodes[node].nameEnd - nodes[node].start)
    }

    private func isName(of node: Int, _ name: UnsafeBufferPointer<UInt8>) -> Bool {
        let own = self.name(node)
        guard own.count == name.count, let first = own.baseAddress, let second = name.baseAddress else { return false }
        return memcmp(first, second, own.count) == 0
    }

    /// Returns the name of a node without quotation marks and escapes.
    private func string(of node: Int) -> String {
        let name = name(node)
        if name.contains(UInt8(ascii: "\\")) { return (try? JSONValue(reading: Array(name)).string) ?? "" }
        return String(decoding: name.dropFirst().dropLast(), as: UTF8.self)
    }
}

// Several containers for one name.
extension NodeList {
    struct MemberIndex {
        var nodes: [ByteName: Int] = [:]
        /// The last member that was added. 0 if there is none.
        var last = 0
    }

    /// Adds a member for an array or object. Returns the member that has the name if it is one, so that a class and its
    /// superclass can write into the same.
    mutating func addContainer(_ name: String, to parent: Int, as kind: Kind) -> Int {
        let last = Int(nodes[parent].last)
        let node = addMember(name, to: parent)
        guard let earlier = earlierMember(than: node, in: parent),
            nodes[earlier].kind == kind || nodes[earlier].kind == .dictionary && kind == .object
        else { return node }
        count -= 1
        nodes[last].next = 0
        nodes[parent].last = Int32(last)
        return earlier
    }

    /// Returns the member before this one that has the same name.
    private mutating func earlierMember(than node: Int, in parent: Int) -> Int? {
        let name = name(node)
        var earlier: Int?
        var child = Int(nodes[parent].first)
        for _ in 0..<16 where child != node {
            Visits.add()
            if nodes[child].kind != .removed, isName(of: child, name) { earlier = child }
            child = Int(nodes[child].next)
        }
        if child == node { return earlier }
        var index = indices.removeValue(forKey: parent) ?? MemberIndex()
        child = Int(index.last == 0 ? nodes[parent].first : nodes[index.last].next)
        while child != node {
            Visits.add()
            if nodes[child].kind != .removed { index.nodes[ByteName(string(of: child))] = child }
            index.last = child
            child = Int(nodes[child].next)
        }
        earlier = index.nodes[ByteName(string(of: node))]
        indices[parent] = index
        return earlier
    }
}

// The document.
extension NodeList {
    /// Appends the JSON text of a node's value.
    func write(_ node: Int, to output: inout ByteBuffer, depth: Int) {
        switch nodes[node].kind {
        case .single: output.append(text.start + nodes[node].start, nodes[node].end - nodes[node].start)
        case .removed: break
        case .tree:
            writeName(node, to: &output)
            TreeWriter.write(trees[Int(nodes[node].first)], to: &output, format, depth: depth)
        case .array:
            writeName(node, to: &output)
            write(children: node, between: "[", "]", to: &output, depth: depth)
        case .object, .dictionary:
            writeName(node, to: &output)
            removeDuplicates(of: node)
            write(children: node, between: "{", "}", to: &output, depth: depth)
        case .empty:
            writeName(node, to: &output)
            output.append("{}")
        }
    }

    @inline(__always)
    private func writeName(_ node: Int, to output: inout ByteBuffer) {
        let length = nodes[node].nameEnd - nodes[node].start
        if length > 0 { output.append(text.start + nodes[node].start, length + (isPretty ? 2 : 1)) }
    }

    private func write(
        children parent: Int, between open: Unicode.Scalar, _ close: Unicode.Scalar, to output: inout ByteBuffer,
        depth: Int
    ) {
        output.append(UInt8(ascii: open))
        var isEmpty = true
        func write(_ child: Int) {
            if nodes[child].kind == .removed { return }
            if !isEmpty { output.append(UInt8(ascii: ",")) }
            isEmpty = false
            if isPretty { TreeWriter.breakLine(&output, depth: depth + 1) }
            self.write(child, to: &output, depth: depth + 1)
        }
        if format.contains(.sortedKeys), nodes[parent].kind != .array {
            let named = children(of: parent).map { (name: ByteName(string(of: $0)), node: $0) }
            for child in named.sorted(by: { $0.name < $1.name }) { write(child.node) }
        } else {
            var child = Int(nodes[parent].first)
            while child != 0 {
                write(child)
                child = Int(nodes[child].next)
            }
        }
        if isPretty, !isEmpty { TreeWriter.breakLine(&output, depth: depth) }
        output.append(UInt8(ascii: close))
    }

    private func children(of parent: Int) -> [Int] {
        Array(sequence(first: Int(nodes[parent].first)) { Int(nodes[$0].next) }.prefix { $0 != 0 })
    }

    /// Removes members for whose names others were encoded later, as a class and its superclass may do.
    private func removeDuplicates(of parent: Int) {
        // A bit for each name indicates whether a name may have been there before.
        var seen: UInt64 = 0
        var child = Int(nodes[parent].first)
        while child != 0 {
            let name = name(child)
            let middle = name[name.count / 2]
            let bit: UInt64 = 1 << UInt64((Int(middle) &+ Int(name[name.count - 2]) &* 7 &+ name.count &* 11) & 63)
            if seen & bit != 0 { return removeDuplicates(children(of: parent)) }
            seen |= bit
            child = Int(nodes[child].next)
        }
    }

    private func removeDuplicates(_ children: [Int]) {
        if children.count <= 16 {
            for (position, child) in children.enumerated() {
                let name = name(child)
                let isReplaced = children[(position + 1)...].contains {
                    nodes[$0].kind != .removed && isName(of: $0, name)
                }
                if isReplaced { nodes[child].kind = .removed }
            }
            return
        }
        var later: Set<ByteName> = []
        for child in children.reversed() where nodes[child].kind != .removed {
            let name = ByteName(String(decoding: name(child), as: UTF8.self))
            if !later.insert(name).inserted { nodes[child].kind = .removed }
        }
    }
}
