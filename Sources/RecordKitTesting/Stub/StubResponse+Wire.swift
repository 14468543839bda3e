import Foundation
import RecordKit

extension StubResponse: ExpressibleByArrayLiteral {
    /// Creates the response of a ``LoopbackServer`` from what it writes.
    ///
    /// After the last step, the connection is kept open for the next request. It is closed if a step, the request's
    /// `Connection: close` (RFC 9112 section 9.3) or the response's head says so.
    ///
    /// - Parameter steps: The steps, in order.
    public init(_ steps: [Step]) {
        self.init(outcome: .failure(StubError.onlyOnTheWire), wire: steps)
    }

    /// Creates the response of a ``LoopbackServer`` from what it writes.
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
        var headers = skewed(head.headers, Date())
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
