import Foundation
import RecordKit
import RecordKitTesting
import Synchronization

/// A server in the process, which responds as it is told and records what it receives. Its bodies count the responses.
final class OriginServer: NetworkTransport {
    /// What the server responds with.
    struct Response: Sendable {
        var status = 200
        var fields: [String] = []
        var body: String?
        var error: NetworkError?
    }

    private struct State {
        var next = Response()
        var calls: [NetworkCall] = []
        var bodies = 0
    }

    private let clock: ManualClock
    private let state = Mutex(State())

    init(clock: ManualClock) {
        self.clock = clock
    }

    /// The calls that the server has received.
    var calls: [NetworkCall] { state.withLock(\.calls) }

    /// Sets the response to every later call.
    func respond(with response: Response) { state.withLock { $0.next = response } }

    func exchange(_ call: NetworkCall) async throws(NetworkError) -> NetworkResponse {
        let (next, number) = state.withLock { state in
            state.calls.append(call)
            if state.next.body == nil, state.next.error == nil, state.next.status != 304 { state.bodies += 1 }
            return (state.next, state.bodies)
        }
        if let error = next.error { throw error }
        let hasBody = next.status != 304 && next.status != 204 && call.method != .head
        return NetworkResponse(
            statusCode: next.status, headers: clock.headers(next.fields),
            body: hasBody ? Data((next.body ?? "\(number)").utf8) : Data(), url: call.url)
    }
}

extension ManualClock {
    /// Returns header fields, such as `Expires: {60}`, where braces contain a date in seconds from now.
    func headers(_ fields: [String]) -> HTTPHeaders {
        var headers = HTTPHeaders()
        for field in fields {
            guard let colon = field.firstIndex(of: ":") else { continue }
            var value = field[field.index(after: colon)...].drop { $0 == " " }.description
            if let match = value.firstMatch(of: /\{(-?\d+)\}/), let seconds = Double(match.1) {
                value.replaceSubrange(match.range, with: HTTPDate(date.addingTimeInterval(seconds)).description)
            }
            headers.add(String(field[..<colon]), value)
        }
        return headers
    }
}
