/// A name that is compared by its UTF-8 bytes (RFC 8259 section 8.3). `String` compares by canonical equivalence.
struct ByteName: Hashable, Comparable {
    private let name: String

    init(_ name: String) {
        self.name = name
    }

    static func == (one: ByteName, other: ByteName) -> Bool {
        // Most names differ in length, which is compared faster than bytes.
        one.name.utf8.count == other.name.utf8.count && one.name.utf8.elementsEqual(other.name.utf8)
    }

    static func < (one: ByteName, other: ByteName) -> Bool {
        var (one, other) = (one.name, other.name)
        // Three times as fast as comparing the views of the strings.
        return one.withUTF8 { one in other.withUTF8 { other in one.lexicographicallyPrecedes(other) } }
    }

    func hash(into hasher: inout Hasher) {
        var name = name
        name.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
