import Foundation
public import RecordKit
import Synchronization

/// Reports the timeline of each call when it ends, before its value or error is returned.
///
/// ```swift
/// configuration.observers = [TimelineObserver { print($0) }]
/// ```
public final class TimelineObserver: NetworkObserver {
    private let report: @Sendable (CallTimeline) -> Void
    private let events = Mutex<[NetworkCall.ID: [NetworkEvent]]>([:])

    /// Creates an observer.
    ///
    /// - Parameter report: A closure that is called once for each call, on the thread on which the call ends.
    public init(_ report: @escaping @Sendable (CallTimeline) -> Void) {
        self.report = report
    }

    /// Records an event of a call.
    public func observe(_ event: NetworkEvent, of call: NetworkCall) {
        let whole = events.withLock { events -> [NetworkEvent]? in
            // Events after the end of a call are ignored.
            if event.kind != .built, events[call.id] == nil { return nil }
            events[call.id, default: []].append(event)
            return event.kind == .read ? events.removeValue(forKey: call.id) : nil
        }
        if let whole { report(CallTimeline(of: call, whole)) }
    }
}

extension CallTimeline {
    fileprivate init(of call: NetworkCall, _ events: [NetworkEvent]) {
        let now = call.clock.now()
        let beginning = events.map(\.start).min() ?? now
        self.init(
            name: call.name, method: call.method.rawValue, url: call.url.redacted(call.headers.sensitiveNames),
            date: call.clock.date().addingTimeInterval(-(now - beginning).timeInterval), duration: now - beginning,
            events: Self.ordered(events, from: beginning))
    }
}

extension CallTimeline {
    /// Returns the events in the order in which they began, their times relative to the beginning of the call. The wait
    /// for the first slot is separate from its attempt.
    fileprivate static func ordered(_ events: [NetworkEvent], from beginning: Duration) -> [NetworkEvent] {
        var ordered: [NetworkEvent] = []
        for var event in events where event.kind != .slot || event.duration >= .microseconds(100) {
            if event.kind == .attempt {
                let parts = events.lazy.filter {
                    $0.attempt == event.attempt && $0.start >= event.start && $0.end <= event.end
                }
                // A wait after a redirect is part of the attempt.
                if let slot = parts.first(where: { $0.kind == .slot || $0.kind == .redirect }), slot.kind == .slot {
                    (event.start, event.duration) = (slot.end, event.end - slot.end)
                }
            }
            event.start -= beginning
            let next = ordered.firstIndex { $0.start > event.start } ?? ordered.endIndex
            ordered.insert(event, at: next)
        }
        return ordered
    }
}

extension NetworkEvent {
    fileprivate var end: Duration { start + duration }
}
