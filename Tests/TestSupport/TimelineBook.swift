public import RecordKit
public import RecordKitInterceptors
import Synchronization

/// Records the timelines of a configuration's calls.
public final class TimelineBook: Sendable {
    public init() {}

    private let state = Mutex<[CallTimeline]>([])

    public var timelines: [CallTimeline] { state.withLock { $0 } }

    public var observer: TimelineObserver {
        TimelineObserver { timeline in self.state.withLock { $0.append(timeline) } }
    }
}

/// Counts events during calls.
public final class EventSpy: NetworkObserver {
    public init() {}

    private let kinds = Mutex<[NetworkEvent.Kind]>([])

    public func count(of kind: NetworkEvent.Kind) -> Int {
        kinds.withLock { $0.count { $0 == kind } }
    }

    public func observe(_ event: NetworkEvent, of call: NetworkCall) {
        kinds.withLock { $0.append(event.kind) }
    }
}
