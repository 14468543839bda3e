import RecordKit

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
