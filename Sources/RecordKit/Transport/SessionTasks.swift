import Dispatch
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Ends data tasks.
enum SessionTasks {
    /// On Linux a task that is cancelled on the thread of a cancellation handler, or of a callback, can lock up every
    /// session of the process; on a queue that does nothing else it cannot.
    private static let cancelQueue = DispatchQueue(label: "RecordKit.cancel", qos: .userInitiated)

    static func cancel(_ task: URLSessionTask) {
        cancelQueue.async { task.cancel() }
    }
}
