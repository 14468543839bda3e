import Synchronization

extension Array where Element: Sendable {
    /// Gives the elements in order, the last again and again; nil when there are none.
    func inTurn() -> @Sendable () -> Element? {
        let left = Mutex(self[...])
        return { left.withLock { $0.count > 1 ? $0.removeFirst() : $0.first } }
    }
}
