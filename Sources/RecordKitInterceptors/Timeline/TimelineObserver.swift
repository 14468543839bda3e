import Foundation
public import RecordKit
import Synchronization

/// Gives the timeline of each call when it is over, before the value or the error is handed over.
///
/// ```swift
/// network.observers = [TimelineObserver { print($0) }]
/// ```
public final class TimelineObserver: NetworkObserver {
    private let report: @Sendable (Timeline) -> Void
    private let events = Mutex<[UInt64: [NetworkEvent]]>([:])

    /// - Parameter report: Is called once for each call, on the thread where it ends.
    public init(_ report: @escaping @Sendable (Timeline) -> Void) {
        self.report = report
    }

    public func observe(_ event: NetworkEvent, of call: NetworkCall) {
        let whole = events.withLock { events -> [NetworkEvent]? in
            // What follows the end of a call is not waited for.
            if event.kind != .built, events[call.id] == nil { return nil }
            events[call.id, default: []].append(event)
            return event.kind == .read ? events.removeValue(forKey: call.id) : nil
        }
        if let whole { report(Timeline(of: call, whole)) }
    }
}

extension Timeline {
    fileprivate init(of call: NetworkCall, _ events: [NetworkEvent]) {
        let now = call.clock.now()
        let beginning = events.map(\.start).min() ?? now
        self.init(
            name: call.name, method: call.method.rawValue, url: call.url.redacted(call.headers.sensitiveNames),
            date: call.clock.date().addingTimeInterval(-(now - beginning).timeInterval), duration: now - beginning,
            events: Self.told(events, from: beginning))
    }
}

extension Timeline {
    /// The events in the order in which they began, times since the beginning, and the wait for the first slot apart from
    /// its attempt.
    static func told(_ events: [NetworkEvent], from beginning: Duration) -> [NetworkEvent] {
        var told: [NetworkEvent] = []
        for var event in events where event.kind != .slot || event.duration >= .microseconds(100) {
            if event.kind == .attempt {
                let parts = events.lazy.filter {
                    $0.attempt == event.attempt && $0.start >= event.start && $0.end <= event.end
                }
                // A wait after a redirect lies within the attempt.
                if let slot = parts.first(where: { $0.kind == .slot || $0.kind == .redirect }), slot.kind == .slot {
                    (event.start, event.duration) = (slot.end, event.end - slot.end)
                }
            }
            event.start -= beginning
            let next = told.firstIndex { $0.start > event.start } ?? told.endIndex
            told.insert(event, at: next)
        }
        return told
    }
}

extension NetworkEvent {
    fileprivate var end: Duration { start + duration }
}
