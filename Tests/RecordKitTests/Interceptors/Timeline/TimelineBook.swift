import RecordKit
import RecordKitInterceptors
import Synchronization

/// Records the timelines of a configuration's calls.
final class TimelineBook: Sendable {
    private let state = Mutex<[Timeline]>([])

    var timelines: [Timeline] { state.withLock { $0 } }

    var observer: TimelineObserver {
        TimelineObserver { timeline in self.state.withLock { $0.append(timeline) } }
    }
}

/// Counts events during calls.
final class EventSpy: NetworkObserver {
    private let kinds = Mutex<[NetworkEvent.Kind]>([])

    func count(of kind: NetworkEvent.Kind) -> Int {
        kinds.withLock { $0.count { $0 == kind } }
    }

    func observe(_ event: NetworkEvent, of call: NetworkCall) {
        kinds.withLock { $0.append(event.kind) }
    }
}
