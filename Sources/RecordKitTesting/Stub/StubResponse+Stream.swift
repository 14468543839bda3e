import Foundation
public import RecordKit

extension StubResponse {
    /// Returns a response whose body arrives as the test says: in chunks, with delays, held by gates, and perhaps cut.
    ///
    /// ```swift
    /// .stream([
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
        guard steps.allSatisfy({ $0.part != nil }) else {
            let headers: HTTPHeaders = ["Content-Type": contentType, "Transfer-Encoding": "chunked"]
            return StubResponse([.head(status, headers: headers)] + steps + [.lastChunk])
        }
        let body = steps.reduce(into: Data()) { body, step in
            if case .chunk(let bytes) = step.action { body += bytes }
        }
        var answer = StubResponse.data(body, contentType: contentType, status: status)
        answer.pace.script = steps
        return answer
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
    /// .events([.event("one", id: "1"), .wait(gate), .event("[DONE]")])
    /// ```
    ///
    /// - Parameter steps: The steps, in order.
    public static func events(_ steps: [Step]) -> StubResponse {
        .stream(steps, contentType: "text/event-stream")
    }

    /// A part of a body as it arrives.
    enum Part: Sendable {
        /// The next bytes of the body.
        case bytes(Int)
        case delay(Duration)
        case wait(ResponseGate)
        case hold
        case reset
    }

    /// Returns how a body of this length arrives.
    func parts(of length: Int) -> [Part] {
        var parts = pace.script?.compactMap(\.part) ?? (length > 0 ? [.bytes(length)] : [])
        if let drip = pace.drip {
            parts = parts.flatMap { part -> [Part] in
                guard case .bytes(let length) = part else { return [part] }
                return stride(from: 0, to: length, by: drip.count).flatMap { start in
                    [.delay(drip.interval), .bytes(min(drip.count, length - start))]
                }
            }
        }
        guard let cut = pace.cut, cut.count < length else { return parts }
        var left = cut.count
        var kept: [Part] = []
        for part in parts where left > 0 {
            if case .bytes(let count) = part {
                kept.append(.bytes(min(count, left)))
                left -= count
            } else {
                kept.append(part)
            }
        }
        return kept + [cut.end.part ?? .reset]
    }
}
