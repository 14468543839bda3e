import Synchronization

/// A gate that holds back responses until a test opens it. It stops a call at a certain point without sleeping.
///
/// A gate is closed at first, opens once, and stays open. Any number of responses and tasks can wait for one gate.
public final class ResponseGate: Sendable {
    private struct State {
        var isOpen = false
        var lastID = 0
        var waiting: [Int: @Sendable (_ opened: Bool) -> Void] = [:]
    }

    private let state = Mutex(State())

    /// Creates a closed gate.
    public init() {}

    /// Whether ``open()`` has been called.
    public var isOpen: Bool { state.withLock { $0.isOpen } }

    /// Opens the gate for everything that waits now or later. Opening it again has no effect.
    public func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [:] }
            return state.waiting.values
        }
        waiting.forEach { $0(true) }
    }

    /// Waits until the gate is open. Returns at once if it is open already.
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

    /// Returns an identifier for a waiter.
    func newID() -> Int {
        state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
    }

    /// Calls `action` exactly once: with `true` when the gate opens, at once if it is open; with `false` when
    /// ``giveUp(_:)`` is called.
    func notify(_ id: Int, _ action: @escaping @Sendable (_ opened: Bool) -> Void) {
        let isOpen = state.withLock { state in
            if !state.isOpen { state.waiting[id] = action }
            return state.isOpen
        }
        if isOpen { action(true) }
    }

    /// Ends a wait before the gate opens.
    func giveUp(_ id: Int) {
        state.withLock { $0.waiting.removeValue(forKey: id) }?(false)
    }
}

extension Array where Element: Sendable {
    /// Returns a function that returns the elements in order, the last one repeatedly, or `nil` if the array is empty.
    func inTurn() -> @Sendable () -> Element? {
        let left = Mutex(self[...])
        return { left.withLock { $0.count > 1 ? $0.removeFirst() : $0.first } }
    }
}
