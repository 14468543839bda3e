import Foundation
import RecordKit

extension StubResponse {
    /// Returns the steps in which a body arrives.
    func script(of body: Data) -> [Step] {
        guard let script = pace.script else { return [.body(body)] }
        var rest = body
        return script.map { step in
            guard case .chunk(let bytes) = step.action else { return step }
            defer { rest = rest.dropFirst(bytes.count) }
            return .chunk(Data(rest.prefix(bytes.count)))
        }
    }

    /// Returns steps with their body slowed and cut. A cut behind the end of the body has no effect.
    func paced(_ steps: [Step]) -> [Step] {
        var steps = steps
        if let drip = pace.drip {
            steps = steps.flatMap { step -> [Step] in
                guard let bytes = step.bytes else { return [step] }
                return stride(from: 0, to: bytes.count, by: drip.count).flatMap { start in
                    [.delay(drip.interval), .body(Data(bytes.dropFirst(start).prefix(drip.count)))]
                }
            }
        }
        let length = steps.reduce(0) { $0 + ($1.bytes?.count ?? 0) }
        guard let cut = pace.cut, cut.count < length else { return steps }
        var left = cut.count
        var kept: [Step] = []
        for step in steps {
            guard let bytes = step.bytes else {
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
