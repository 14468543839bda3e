import RecordKit
import Synchronization

/// Keeps the stories that are told.
final class TimelineBook: Sendable {
    private let state = Mutex<[Timeline]>([])

    var timelines: [Timeline] { state.withLock { $0 } }

    var add: @Sendable (Timeline) -> Void {
        { timeline in self.state.withLock { $0.append(timeline) } }
    }
}

/// Keeps the calls that pass, whose stories can be read while they go on.
final class CallSpy: NetworkInterceptor {
    private let state = Mutex<[NetworkCall]>([])

    func count(of kind: Timeline.Event.Kind) -> Int {
        state.withLock { $0 }.count { call in call.timeline.events.contains { $0.kind == kind } }
    }

    func intercept(_ call: NetworkCall, next: NetworkCall.Next) async throws(NetworkError) -> NetworkResponse {
        state.withLock { $0.append(call) }
        return try await next(call)
    }
}
