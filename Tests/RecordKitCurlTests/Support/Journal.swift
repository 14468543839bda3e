import RecordKit
import Synchronization

/// The reports and events of calls.
final class Journal: NetworkObserver {
    private let progress = Mutex<[NetworkProgress]>([])
    private let events = Mutex<[NetworkEvent]>([])

    func add(_ report: NetworkProgress) { progress.withLock { $0.append(report) } }

    func last(_ phase: NetworkProgress.Phase) -> NetworkProgress? {
        progress.withLock { $0.last { $0.phase == phase } }
    }

    func observe(_ event: NetworkEvent, of call: NetworkCall) { events.withLock { $0.append(event) } }

    /// Returns the events since the last call, and removes them.
    func takeEvents() -> [NetworkEvent] {
        events.withLock { events in
            defer { events = [] }
            return events
        }
    }
}
