import Synchronization

/// Counts the entries, nodes and members that are looked at, for the tests: documents of twice the size may need twice
/// as many visits. Other builds than those for debugging count nothing.
package enum Visits {
    #if DEBUG
    private static let count = Atomic(0)
    package static var total: Int { count.load(ordering: .relaxed) }
    #endif

    @inline(__always)
    static func add(_ more: Int = 1) {
        #if DEBUG
        count.add(more, ordering: .relaxed)
        #endif
    }
}
