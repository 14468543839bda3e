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
