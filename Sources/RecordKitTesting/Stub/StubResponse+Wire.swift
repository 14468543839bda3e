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
        if let wire { return pace.waits + paced(wire) }
        switch outcome {
        case .never: return pace.waits + [.hold]
        case .failure: return pace.waits + [.reset]
        case .response(let head): return pace.waits + paced(written(head))
        }
    }

    private func written(_ head: Head) -> [Step] {
        var headers = skewed(head.headers, Date())
        let isChunked = pace.script != nil || !head.trailers.fields.isEmpty
        if !headers.contains("Content-Length"), !headers.contains("Transfer-Encoding") {
            if isChunked {
                headers.add("Transfer-Encoding", "chunked")
            } else if head.status >= 200, head.status != 204, head.status != 304 {
                headers.add("Content-Length", "\(head.body.count)")
            }
        }
        let body = pace.script ?? [isChunked ? .chunk(head.body) : .body(head.body)]
        return [.head(head.status, headers: headers)] + body + (isChunked ? [.lastChunk(head.trailers)] : [])
    }

    /// Returns steps with their body dripped and cut.
    private func paced(_ steps: [Step]) -> [Step] {
        var steps = steps
        if let drip = pace.drip {
            steps = steps.flatMap { step -> [Step] in
                guard let bytes = step.written else { return [step] }
                return stride(from: 0, to: bytes.count, by: drip.count).flatMap { start in
                    [.delay(drip.interval), .body(Data(bytes.dropFirst(start).prefix(drip.count)))]
                }
            }
        }
        guard let cut = pace.cut else { return steps }
        var left = cut.count
        var kept: [Step] = []
        for step in steps {
            guard let bytes = step.written else {
                kept.append(step)
                continue
            }
            kept.append(.body(Data(bytes.prefix(left))))
            left -= bytes.count
            if left <= 0 { break }
        }
        return kept + [cut.end]
    }
}
