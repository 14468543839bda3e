import Dispatch
import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Where the data tasks of calls are made, started and ended, and all that callbacks make.
///
/// On Linux all sessions share one queue. A callback is on it, and whatever waits for it there ends the process:
/// making, starting and cancelling a task do. A task that is cancelled on the thread of a cancellation handler can lock
/// up every session; on a queue that does nothing else it cannot.
enum SessionTasks {
    private static let queue = DispatchQueue(label: "RecordKit.tasks", qos: .userInitiated)
    /// How many tasks of the delegates, in all sessions, are being made, or are made and have not completed.
    static let underWay = Atomic<Int>(0)

    /// Makes and starts a task, which may wait for the queue of all sessions, as a server may keep it busy. Swift's tasks
    /// have few threads, and what ends a call in time may need one: so it is here, which spares a change of threads, only
    /// where nothing is under way that could keep the queue busy.
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

    /// Cancels a task that is not being cancelled already: on Linux a second `cancel()` can end the process.
    static func cancel(_ task: URLSessionTask) {
        perform {
            if task.state == .running || task.state == .suspended { task.cancel() }
        }
    }
}

#if canImport(FoundationNetworking)
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
