import Foundation
import RecordKit
import Synchronization

/// The body of a stub's answer in pieces, at the answer's pace.
final class StubStream: Sendable {
    private struct State {
        var sent = 0
        var time: AttemptTime
    }

    private let body: Data
    private let answer: StubAnswer
    private let call: NetworkCall
    private let state: Mutex<State>

    init(_ body: Data, of answer: StubAnswer, to call: NetworkCall, _ time: AttemptTime) {
        self.body = body
        self.answer = answer
        self.call = call
        state = Mutex(State(time: time))
    }

    /// One reader at a time.
    func next() async throws(NetworkError) -> Data? {
        var (sent, time) = state.withLock { ($0.sent, $0.time) }
        let end = min(answer.pace.cut ?? body.count, body.count)
        if sent == end {
            if answer.losesBody(body.count) { throw .lostOnTheWay(call) }
            return nil
        }
        if let drip = answer.pace.drip { try await time.wait(drip.interval) }
        if Task.isCancelled { throw .cancelled }
        let piece = body.dropFirst(sent).prefix(min(answer.pace.drip?.count ?? body.count, end - sent))
        sent += piece.count
        if sent > call.sizeLimit { throw call.tooLarge }
        state.withLock { $0 = State(sent: sent, time: time) }
        return Data(piece)
    }
}
