// Compiled on Apple's platforms alone. Network declares types whose names begin like those of RecordKit, so this file
// doesn't import RecordKit.
#if canImport(Network)
import Network

/// The system's view of the network.
enum NetworkPath {
    /// Waits until there is a network, and returns true. Returns false if the task is cancelled before.
    static func isSatisfied() async -> Bool {
        for await path in NWPathMonitor() where path.status == .satisfied { return true }
        return false
    }
}
#endif
