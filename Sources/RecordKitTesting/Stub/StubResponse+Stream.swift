public import Foundation

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
    /// The body ends after the last step. It has no Content-Length. A caller that reads the whole body gets it at its
    /// end, and so does a task of a URLSession.
    ///
    /// - Parameters:
    ///   - steps: The steps, in order.
    ///   - contentType: The media type. Default: `text/plain; charset=utf-8`.
    ///   - status: The status. Default: 200.
    public static func stream(
        _ steps: [Step], contentType: String = "text/plain; charset=utf-8", status: Int = 200
    ) -> StubResponse {
        var answer = StubResponse.data(Data(steps.flatMap(\.bytes)), contentType: contentType, status: status)
        answer.pace.script = steps.map(\.part)
        return answer
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

    /// One step of a body that a test scripts.
    public struct Step: Sendable {
        let part: Part
        let bytes: Data

        private init(_ part: Part, _ bytes: Data = Data()) {
            self.part = part
            self.bytes = bytes
        }

        /// Sends a chunk.
        ///
        /// - Parameter bytes: The bytes of the chunk.
        public static func chunk(_ bytes: Data) -> Step {
            Step(.bytes(bytes.count), bytes)
        }

        /// Sends a string in UTF-8 as a chunk.
        ///
        /// - Parameter text: The string, with its line ends.
        public static func chunk(_ text: String) -> Step {
            .chunk(Data(text.utf8))
        }

        /// Sends a server-sent event as a chunk.
        ///
        /// - Parameters:
        ///   - data: The data.
        ///   - type: The type, or `nil` to send none.
        ///   - id: The ID, or `nil` to send none.
        public static func event(_ data: String, type: String? = nil, id: String? = nil) -> Step {
            .chunk(EventText.of(data, type: type, id: id))
        }

        /// Waits for a time, according to the clock of the call or the stub.
        ///
        /// - Parameter duration: The time.
        public static func delay(_ duration: Duration) -> Step {
            Step(.delay(StubResponse.limited(duration)))
        }

        /// Waits until a gate is open.
        ///
        /// - Parameter gate: The gate.
        public static func wait(_ gate: ResponseGate) -> Step {
            Step(.wait(gate))
        }

        /// Sends nothing more, and doesn't end the body: the caller waits until it gives up.
        public static let hold = Step(.hold)

        /// Loses the connection in the middle of the body.
        public static let reset = Step(.reset)
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
        var parts = pace.script ?? (length > 0 ? [.bytes(length)] : [])
        if let drip = pace.drip {
            parts = parts.flatMap { part -> [Part] in
                guard case .bytes(let length) = part else { return [part] }
                return stride(from: 0, to: length, by: drip.count).flatMap { start in
                    [.delay(drip.interval), .bytes(min(drip.count, length - start))]
                }
            }
        }
        guard var left = pace.cut, left < length else { return parts }
        var kept: [Part] = []
        for part in parts where left > 0 {
            if case .bytes(let count) = part {
                kept.append(.bytes(min(count, left)))
                left -= count
            } else {
                kept.append(part)
            }
        }
        return kept + [.reset]
    }
}

/// The text of server-sent events.
enum EventText {
    static func of(_ data: String, type: String?, id: String?) -> String {
        let fields = [type.map { "event: \($0)\n" }, id.map { "id: \($0)\n" }].compactMap { $0 }
        let lines = data.split(omittingEmptySubsequences: false) { ["\n", "\r", "\r\n"].contains($0) }.map {
            "data: \($0)\n"
        }
        return (fields + lines + ["\n"]).joined()
    }
}
