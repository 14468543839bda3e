import Foundation

extension LoopbackAnswer {
    /// This answer after other steps: a delay, a gate, an interim head.
    public func after(_ steps: Step...) -> LoopbackAnswer {
        LoopbackAnswer(steps + self.steps)
    }

    /// This answer and then other steps, such as `.close`.
    public func then(_ steps: Step...) -> LoopbackAnswer {
        LoopbackAnswer(self.steps + steps)
    }

    /// This answer up to so many bytes of its body, counted with any chunk framing, and then the end of the
    /// connection: `.close`, `.reset`, or `.hold` for a body that stalls.
    public func cut(after count: Int, then end: Step = .close) -> LoopbackAnswer {
        var left = max(count, 0)
        var kept: [Step] = []
        for step in steps {
            guard case .body(let bytes) = step.action else {
                kept.append(step)
                continue
            }
            kept.append(.body(Data(bytes.prefix(left))))
            left -= bytes.count
            if left <= 0 { break }
        }
        return LoopbackAnswer(kept + [end])
    }

    /// This answer with its body in pieces of so many bytes, one every so often.
    public func dripped(by count: Int = 1, every interval: Duration) -> LoopbackAnswer {
        LoopbackAnswer(
            steps.flatMap { step -> [Step] in
                guard case .body(let bytes) = step.action else { return [step] }
                return stride(from: 0, to: bytes.count, by: max(count, 1)).flatMap { start in
                    [.delay(interval), .body(Data(bytes.dropFirst(start).prefix(max(count, 1))))]
                }
            })
    }
}
