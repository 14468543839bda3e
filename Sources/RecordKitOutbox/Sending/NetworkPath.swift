// Compiled on Apple's platforms alone. Network declares types whose names begin like those of RecordKit, so this file
// doesn't import RecordKit.
#if canImport(Network)
import Network

/// The system's view of the network.
enum NetworkPath {
    /// Returns a stream with an element each time that there is another network.
    static func changes() -> AsyncStream<Void> {
        AsyncStream { continuation in
            let task = Task {
                // The first path is the current one.
                for await path in NWPathMonitor().dropFirst() where path.status == .satisfied { continuation.yield() }
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }
}
#endif
