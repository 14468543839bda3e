import Synchronization

/// Wakes a server's thread out of poll(2), and tells it to stop: the writing end of a pipe.
final class LoopbackBell: Sendable {
    private struct State {
        /// Nil once it is closed: its number may belong to another file by then.
        var writer: Socket?
        var isStopped = false
    }

    private let state: Mutex<State>

    init(_ writer: Socket) {
        state = Mutex(State(writer: writer))
    }

    var isStopped: Bool {
        state.withLock { $0.isStopped }
    }

    func ring() {
        state.withLock { $0.writer?.signal() }
    }

    func stop() {
        state.withLock { state in
            state.isStopped = true
            state.writer?.signal()
        }
    }

    func close() {
        state.withLock { state in
            state.writer?.release()
            state.writer = nil
        }
    }
}
