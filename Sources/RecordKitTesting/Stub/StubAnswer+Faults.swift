import Foundation
import RecordKit

extension StubAnswer {
    /// How an answer arrives.
    struct Pace: Sendable {
        var gate: AnswerGate?
        var delay = Duration.zero
        var drip: (count: Int, interval: Duration)?
        /// How many bytes of the body arrive before the connection is lost.
        var cut: Int?
        /// How far the server's clock is ahead.
        var skew: Duration?
    }

    /// This answer, held back until the gate is open or the request is cancelled.
    public func after(_ gate: AnswerGate) -> StubAnswer {
        changed { $0.gate = gate }
    }

    /// This answer, so much later, by the clock of the call or of the stub.
    public func delayed(by duration: Duration) -> StubAnswer {
        changed { $0.delay += Self.limited(duration) }
    }

    /// This answer with its body in pieces of so many bytes, one every so often, by the clock of the call or of the
    /// stub. Who reads the body whole gets it at the end.
    public func dripped(by count: Int = 1, every interval: Duration) -> StubAnswer {
        changed { $0.drip = (max(count, 1), Self.limited(interval)) }
    }

    /// This answer up to so many bytes of its body; then the connection is lost. Who reads the body whole gets the
    /// error alone.
    public func cut(after count: Int) -> StubAnswer {
        changed { $0.cut = max(count, 0) }
    }

    /// This answer with no more than so many bytes of its body, and no sign that some are missing: JSON that ends in
    /// the middle.
    ///
    /// - Parameter count: nil keeps half of the body.
    public func truncated(to count: Int? = nil) -> StubAnswer {
        changingHead { $0.body = Data($0.body.prefix(max(count ?? $0.body.count / 2, 0))) }
    }

    /// This answer with every seventh byte of its body inverted, the first of them too: neither JSON nor UTF-8 any
    /// more.
    public func garbled() -> StubAnswer {
        changingHead { head in
            head.body = Data(head.body.enumerated().map { $0.offset % 7 == 0 ? ~$0.element : $0.element })
        }
    }

    /// This answer from a server whose clock is so far ahead, or behind when it is less than zero: its `Date` is the
    /// date of the clock of the call or of the stub, and this.
    public func skewed(by duration: Duration) -> StubAnswer {
        changed { $0.skew = duration }
    }

    /// From zero to a year, which stands for every longer time: timers count nanoseconds.
    private static func limited(_ duration: Duration) -> Duration {
        min(max(duration, .zero), .seconds(366 * 86_400))
    }

    private func changed(_ change: (inout Pace) -> Void) -> StubAnswer {
        var answer = self
        change(&answer.pace)
        return answer
    }
}

extension [StubAnswer] {
    /// A server in trouble: refusals with this status, so many of them, and then an answer.
    public static func storm(_ status: Int = 503, times: Int = 3, then answer: StubAnswer) -> [StubAnswer] {
        Array(repeating: .text("The server cannot answer now.\n", status: status), count: Swift.max(times, 0)) + [
            answer
        ]
    }

    /// A credential that has ended: 401 with a challenge (RFC 9110 section 11.6.1), and then an answer.
    public static func unauthorized(challenge: String = "Bearer", then answer: StubAnswer) -> [StubAnswer] {
        [.status(401, headers: ["WWW-Authenticate": challenge]), answer]
    }
}
