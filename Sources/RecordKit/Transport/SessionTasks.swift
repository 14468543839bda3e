import Dispatch
import Foundation

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

    static func perform(_ work: @escaping @Sendable () -> Void) {
        queue.async(execute: work)
    }

    static func cancel(_ task: URLSessionTask) {
        perform { task.cancel() }
    }
}
