#if canImport(FoundationNetworking)
import Foundation

/// The queue of a session's callbacks, which are made at once, on the thread that has something to tell.
///
/// Linux's URLSession puts an operation on its queue for the head, each piece and the end of every answer; making them,
/// and waking a thread for each, takes a third of the time of a small request. What they tell is taken in a moment, so
/// it is done where it happens: on the one queue of all sessions, in order. No code but ours may run there, and none of
/// ours that waits; see ``SessionTasks``.
final class DelegateQueue: OperationQueue, @unchecked Sendable {  // As its superclass; it adds nothing.
    override func addOperation(_ block: @escaping @Sendable () -> Void) {
        block()
    }
}
#endif
