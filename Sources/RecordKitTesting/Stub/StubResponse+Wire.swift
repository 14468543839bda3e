import Foundation
import RecordKit

extension StubResponse: ExpressibleByArrayLiteral {
    /// Creates a response from the steps in which it arrives: chunks and events, with delays, held by gates, and
    /// perhaps cut.
    ///
    /// ```swift
    /// let log: StubResponse = [
    ///     .chunk("one\n"), .wait(gate), .chunk("two\n"), .delay(.seconds(5)),
    ///     .reset,
    /// ]
    /// let chat: StubResponse = [
    ///     .event("one", id: "1"), .wait(eventGate), .event("[DONE]"),
    /// ]
    /// ```
    ///
    /// The body ends after the last step. It has no Content-Length: a ``LoopbackServer`` sends chunks (RFC 9112 section
    /// 7.1). A caller that reads the whole body gets it at its end, and so does a task of a URLSession.
    ///
    /// Steps without a chunk, and those with a `head`, `body` or `send`, are all that a ``LoopbackServer`` writes.
    /// After the last one, the connection is kept open for the next request. It is closed if a step, the request's
    /// `Connection: close` (RFC 9112 section 9.3) or the response's head says so.
    ///
    /// - Parameters:
    ///   - steps: The steps, in order.
    ///   - contentType: The media type of the chunks. Default: `text/event-stream` if one is an event, otherwise
    ///     `text/plain; charset=utf-8`.
    ///   - status: The status of the chunks. Default: 200.
    public init(_ steps: [Step], contentType: String? = nil, status: Int = 200) {
        if steps.contains(where: \.isOnlyOnTheWire) || !steps.contains(where: \.isChunk) {
            self.init(outcome: .failure(StubError.onlyOnTheWire), wire: steps)
            return
        }
        let isEvents = steps.contains(where: \.isEvent)
        self = .data(
            steps.reduce(into: Data()) { $0 += $1.bytes ?? Data() },
            contentType: contentType ?? (isEvents ? "text/event-stream" : "text/plain; charset=utf-8"), status: status)
        pace.script = steps
    }

    /// Creates a response from the steps in which it arrives. See ``init(_:contentType:status:)``.
    ///
    /// - Parameter steps: The steps, in order.
    public init(arrayLiteral steps: Step...) {
        self.init(steps)
    }

    /// Returns this response after other steps: a delay, a gate, an interim head.
    ///
    /// - Parameter steps: The steps that come first.
    public func after(_ steps: Step...) -> StubResponse {
        let areWaits = steps.allSatisfy { step in
            switch step.action {
            case .delay, .wait: true
            default: false
            }
        }
        return areWaits ? changed { $0.waits = steps + $0.waits } : StubResponse(steps + self.steps)
    }

    /// Returns this response of a ``LoopbackServer`` followed by other steps, such as `.close`.
    ///
    /// - Parameter steps: The steps that come last.
    public func then(_ steps: Step...) -> StubResponse {
        StubResponse(self.steps + steps)
    }

    /// The steps by which a ``LoopbackServer`` sends the response.
    public var steps: [Step] {
        let steps: [Step] =
            switch (wire, outcome) {
            case (let wire?, _): wire
            case (_, .never): [.hold]
            case (_, .failure): [.reset]
            case (_, .response(let head)): written(head)
            }
        return pace.waits + paced(steps.map(\.framed))
    }

    private func written(_ head: Head) -> [Step] {
        var headers = shifted(head.headers, Date())
        let isChunked = pace.script != nil || !head.trailers.isEmpty
        if !headers.contains("Content-Length"), !headers.contains("Transfer-Encoding") {
            if isChunked {
                headers.add("Transfer-Encoding", "chunked")
            } else if head.status >= 200, head.status != 204, head.status != 304 {
                headers.add("Content-Length", "\(head.body.count)")
            }
        }
        let body = isChunked && pace.script == nil ? [.chunk(head.body)] : script(of: head.body)
        return [.head(head.status, headers: headers)] + body + (isChunked ? [.lastChunk(head.trailers)] : [])
    }
}
