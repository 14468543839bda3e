/// The name of an object's member, compared by its UTF-8 bytes (RFC 8259 section 8.3).
///
/// `String` compares by canonical equivalence: the two spellings of "é" would be one member.
struct JSONKey: Hashable, Sendable {
    let text: String

    init(_ text: some StringProtocol) {
        self.text = String(text)
    }

    static func == (one: JSONKey, other: JSONKey) -> Bool {
        one.text.utf8.elementsEqual(other.text.utf8)
    }

    func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

extension JSONKey: Comparable {
    static func < (one: JSONKey, other: JSONKey) -> Bool {
        one.text.utf8.lexicographicallyPrecedes(other.text.utf8)
    }
}

extension JSONKey: ExpressibleByStringLiteral, CustomStringConvertible {
    init(stringLiteral text: String) { self.init(text) }

    var description: String { text }
}
