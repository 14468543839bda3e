import Foundation

/// A name that is compared by its UTF-8 bytes (RFC 8259 section 8.3). `String` compares by canonical equivalence.
struct ByteName: Hashable, Comparable {
    private let name: String

    init(_ name: String) {
        self.name = name
    }

    static func == (one: ByteName, other: ByteName) -> Bool {
        // Most names differ in length, which is compared faster than bytes.
        one.name.utf8.count == other.name.utf8.count && one.order(to: other) == 0
    }

    static func < (one: ByteName, other: ByteName) -> Bool {
        let order = one.order(to: other)
        return order < 0 || order == 0 && one.name.utf8.count < other.name.utf8.count
    }

    /// Compares as many bytes as both names have.
    private func order(to other: ByteName) -> Int32 {
        var (one, other) = (name, other.name)
        return one.withUTF8 { one in
            other.withUTF8 { other in
                guard let first = one.baseAddress, let second = other.baseAddress else { return 0 }
                return memcmp(first, second, min(one.count, other.count))
            }
        }
    }

    func hash(into hasher: inout Hasher) {
        var name = name
        name.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
