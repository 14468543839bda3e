import Dispatch
import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The functions that create, start and cancel data tasks.
///
/// On Linux (Swift 6.3.1), all sessions share one queue, and their callbacks run on it. Creating, starting or
/// cancelling a task waits for that queue. In a callback, the wait ends the process. In a cancellation handler, it can
/// block every session. A separate queue avoids both.
enum SessionTasks {
    private static let queue = DispatchQueue(label: "RecordKit.tasks", qos: .userInitiated)
    /// The number of tasks with a session delegate, in all sessions, that are being created or have not completed.
    static let underWay = Atomic<Int>(0)

    /// Creates and starts a task with `make`.
    ///
    /// This may wait for the queue of all sessions, which a server can keep busy. Blocking a thread of Swift's
    /// small pool could delay the end of other calls. The work therefore runs on a separate queue. If no other task is
    /// in flight, it runs directly, which saves a change of threads.
    static func begin(_ make: @escaping @Sendable () -> Void) {
        let isAlone = underWay.add(1, ordering: .relaxed).oldValue == 0
        let work: @Sendable () -> Void = {
            make()
            underWay.subtract(1, ordering: .relaxed)
        }
        if isAlone { work() } else { perform(work) }
    }

    static func perform(_ work: @escaping @Sendable () -> Void) {
        queue.async(execute: work)
    }

    /// Cancels a task, unless it is already being cancelled. On Linux (Swift 6.3.1), a second `cancel()` can end the
    /// process.
    static func cancel(_ task: URLSessionTask) {
        perform {
            if task.state == .running || task.state == .suspended { task.cancel() }
        }
    }
}

#if canImport(FoundationNetworking)
/// A queue that runs the callbacks of a session immediately, on the thread that reports them.
///
/// Linux's URLSession (Swift 6.3.1) adds an operation for the head, each chunk and the end of every response. Creating
/// the operations and waking threads takes a third of the time of a small request. The callbacks are short, so they run
/// in order on the queue that all sessions share. They must not wait, and must not call the app's code. See
/// ``SessionTasks``.
final class DelegateQueue: OperationQueue, @unchecked Sendable {  // It has no state of its own.
    override func addOperation(_ block: @escaping @Sendable () -> Void) {
        block()
    }
}
#endif
