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

/// Records the events of calls.
public final class EventSpy: NetworkObserver {
    private let recorded = Kept<[NetworkEvent]>([])

    public init() {}

    public var events: [NetworkEvent] { recorded.now }
    public var kinds: [NetworkEvent.Kind] { events.map(\.kind) }

    public func count(of kind: NetworkEvent.Kind) -> Int { kinds.count { $0 == kind } }

    public func details(of kind: NetworkEvent.Kind) -> [String] {
        events.filter { $0.kind == kind }.compactMap(\.detail)
    }

    public func observe(_ event: NetworkEvent, of call: NetworkCall) { recorded.add(event) }
}
