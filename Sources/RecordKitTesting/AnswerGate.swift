import Synchronization

/// A gate that holds answers back until a test opens it: the way to stop a call at a named point without sleeping.
///
/// It is closed when made, opens once, and stays open. Any number of answers and tasks may wait at one gate.
public final class AnswerGate: Sendable {
    private struct State {
        var isOpen = false
        var lastID = 0
        var waiting: [Int: @Sendable (_ opened: Bool) -> Void] = [:]
    }

    private let state = Mutex(State())

    public init() {}

    /// Whether `open()` has been called.
    public var isOpen: Bool {
        state.withLock { $0.isOpen }
    }

    /// Lets everything through that waits here now or comes later. Calling it again changes nothing.
    public func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [:] }
            return state.waiting.values
        }
        waiting.forEach { $0(true) }
    }

    /// Returns once the gate is open, at once if it is already.
    ///
    /// - Throws: `CancellationError` if the task is cancelled first.
    public func wait() async throws(CancellationError) {
        let id = newID()
        let opened = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                notify(id) { continuation.resume(returning: $0) }
                if Task.isCancelled { giveUp(id) }
            }
        } onCancel: {
            giveUp(id)
        }
        if !opened { throw CancellationError() }
    }

    /// A name for one who waits.
    func newID() -> Int {
        state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
    }

    /// Calls back exactly once: true when the gate opens, at once if it is open; false when the waiting is given up.
    func notify(_ id: Int, _ action: @escaping @Sendable (_ opened: Bool) -> Void) {
        let isOpen = state.withLock { state in
            if !state.isOpen { state.waiting[id] = action }
            return state.isOpen
        }
        if isOpen { action(true) }
    }

    func giveUp(_ id: Int) {
        state.withLock { $0.waiting.removeValue(forKey: id) }?(false)
    }
}

extension Array where Element: Sendable {
    /// Gives the elements in order, the last again and again; nil when there are none.
    func inTurn() -> @Sendable () -> Element? {
        let left = Mutex(self[...])
        return { left.withLock { $0.count > 1 ? $0.removeFirst() : $0.first } }
    }
}
