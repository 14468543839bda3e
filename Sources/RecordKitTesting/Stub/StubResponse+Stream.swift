import Foundation
public import RecordKit

extension StubResponse {
    /// Returns a response whose body arrives as the test says: in chunks, with delays, held by gates, and perhaps cut.
    ///
    /// ```swift
    /// let log: StubResponse = .stream([
    ///     .chunk("one\n"), .wait(gate), .chunk("two\n"), .delay(.seconds(5)),
    ///     .reset,
    /// ])
    /// ```
    ///
    /// The body ends after the last step. It has no Content-Length: a ``LoopbackServer`` sends chunks. A caller that
    /// reads the whole body gets it at its end, and so does a task of a URLSession.
    ///
    /// - Parameters:
    ///   - steps: The steps, in order.
    ///   - contentType: The media type. Default: `text/plain; charset=utf-8`.
    ///   - status: The status. Default: 200.
    public static func stream(
        _ steps: [Step], contentType: String = "text/plain; charset=utf-8", status: Int = 200
    ) -> StubResponse {
        if steps.contains(where: \.isOnlyOnTheWire) {
            let headers: HTTPHeaders = ["Content-Type": contentType, "Transfer-Encoding": "chunked"]
            return StubResponse([.head(status, headers: headers)] + steps + [.lastChunk])
        }
        let body = steps.reduce(into: Data()) { body, step in
            if case .chunk(let bytes) = step.action { body += bytes }
        }
        var response = StubResponse.data(body, contentType: contentType, status: status)
        response.pace.script = steps
        return response
    }

    /// Returns a stream of strings, which a ``LoopbackServer`` sends as chunks (RFC 9112 section 7.1).
    ///
    /// - Parameters:
    ///   - chunks: The chunks.
    ///   - status: The status. Default: 200.
    ///   - contentType: The media type. Default: `text/plain; charset=utf-8`.
    ///   - trailers: The fields after the body. See ``adding(trailers:)``.
    public static func chunked(
        _ chunks: [String], status: Int = 200, contentType: String = "text/plain; charset=utf-8",
        trailers: HTTPHeaders = [:]
    ) -> StubResponse {
        .stream(chunks.map { .chunk($0) }, contentType: contentType, status: status).adding(trailers: trailers)
    }

    /// Returns a stream of server-sent events, with the type `text/event-stream`. See
    /// ``stream(_:contentType:status:)``.
    ///
    /// ```swift
    /// let chat: StubResponse = .events([
    ///     .event("one", id: "1"), .wait(eventGate), .event("[DONE]"),
    /// ])
    /// ```
    ///
    /// - Parameter steps: The steps, in order.
    public static func events(_ steps: [Step]) -> StubResponse {
        .stream(steps, contentType: "text/event-stream")
    }

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

    /// Returns steps with their body dripped and cut. A cut behind the end of the body has no effect.
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
