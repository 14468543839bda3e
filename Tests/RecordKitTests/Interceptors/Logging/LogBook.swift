import RecordKit
import Synchronization

/// Keeps what is logged.
final class LogBook: NetworkLog {
    struct Entry: Equatable {
        var level: LogLevel
        var message: String
    }

    private let state = Mutex<[Entry]>([])

    var entries: [Entry] { state.withLock { $0 } }
    var messages: [String] { entries.map(\.message) }

    func write(_ message: String, _ level: LogLevel) {
        state.withLock { $0.append(Entry(level: level, message: message)) }
    }
}
