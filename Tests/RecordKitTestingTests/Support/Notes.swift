import Synchronization

/// Records messages in order.
final class Notes: Sendable {
    private let notes = Mutex<[String]>([])

    var all: [String] { notes.withLock(\.self) }

    func add(_ note: String) {
        notes.withLock { $0.append(note) }
    }
}
