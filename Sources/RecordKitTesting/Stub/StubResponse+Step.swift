public import Foundation
public import RecordKit

extension StubResponse {
    /// One step of a response.
    ///
    /// `send`, `head`, `body` and `lastChunk` are for a ``LoopbackServer`` alone.
    public struct Step: Sendable {
        enum Action: Sendable {
            case chunk(Data)
            case delay(Duration)
            case wait(ResponseGate)
            case hold
            case close
            case reset
            // Only on the wire.
            case send(Data)
            case head(Data, endsConnection: Bool)
            case body(Data)
        }

        let action: Action
        private(set) var isEvent = false

        /// Sends bytes unchanged.
        ///
        /// - Parameter bytes: The bytes.
        public static func send(_ bytes: Data) -> Step {
            Step(action: .send(bytes))
        }

        /// Sends a string in UTF-8 unchanged, including its line ends.
        ///
        /// - Parameter text: The string.
        public static func send(_ text: String) -> Step {
            .send(Data(text.utf8))
        }

        /// Sends a status line, header fields and the empty line. Nothing is added.
        ///
        /// A status below 200 makes it an interim response: `.head(103, headers: ["Link": "</a.css>"])`. After a head
        /// with `Connection: close`, the connection is closed at the end of the response.
        ///
        /// - Parameters:
        ///   - status: The status.
        ///   - headers: The header fields.
        public static func head(_ status: Int, headers: HTTPHeaders = [:]) -> Step {
            let lines = headers.map { "\($0.name): \($0.value)" }
            // Without a reason phrase, but with the space before it (RFC 9112 section 4).
            let text = (["HTTP/1.1 \(status) "] + lines + ["", ""]).joined(separator: "\r\n")
            let closes = lines.contains { $0.lowercased().filter { $0 != " " } == "connection:close" }
            return Step(action: .head(Data(text.utf8), endsConnection: closes))
        }

        /// Sends bytes of a body unchanged, but not in response to a HEAD request.
        ///
        /// - Parameter bytes: The bytes.
        public static func body(_ bytes: Data) -> Step {
            Step(action: .body(bytes))
        }

        /// Sends a string of a body in UTF-8, but not in response to a HEAD request.
        ///
        /// - Parameter text: The string.
        public static func body(_ text: String) -> Step {
            .body(Data(text.utf8))
        }

        /// Sends a chunk of a body. An empty one sends nothing.
        ///
        /// - Parameter bytes: The bytes of the chunk.
        public static func chunk(_ bytes: Data) -> Step {
            Step(action: .chunk(bytes))
        }

        /// Sends a string in UTF-8 as a chunk of a body.
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
            let fields = [type.map { "event: \($0)\n" }, id.map { "id: \($0)\n" }].compactMap(\.self)
            let lines = data.split(omittingEmptySubsequences: false) { ["\n", "\r", "\r\n"].contains($0) }
            var step = Step.chunk((fields + lines.map { "data: \($0)\n" } + ["\n"]).joined())
            step.isEvent = true
            return step
        }

        /// Sends the empty chunk that ends a chunked body, without trailers.
        public static let lastChunk = Step.body("0\r\n\r\n")

        /// Sends the empty chunk that ends a chunked body, and fields after it (RFC 9110 section 6.5).
        ///
        /// - Parameter trailers: The fields.
        public static func lastChunk(_ trailers: HTTPHeaders) -> Step {
            .body(Data(("0\r\n" + trailers.map { "\($0.name): \($0.value)\r\n" }.joined() + "\r\n").utf8))
        }

        /// Waits for a time, according to the clock of the call or the stub. A ``LoopbackServer`` takes real time.
        ///
        /// - Parameter duration: The time.
        public static func delay(_ duration: Duration) -> Step {
            Step(action: .delay(StubResponse.limited(duration)))
        }

        /// Waits until a gate is open.
        ///
        /// - Parameter gate: The gate.
        public static func wait(_ gate: ResponseGate) -> Step {
            Step(action: .wait(gate))
        }

        /// Sends nothing more, and doesn't end the response: the client waits until it gives up.
        ///
        /// If the client closes it in the middle of an unread body of more than a megabyte, the server notices only
        /// when it is stopped.
        public static let hold = Step(action: .hold)

        /// Closes the connection (FIN) after everything before was sent.
        public static let close = Step(action: .close)

        /// Resets the connection (RST). The client may lose even what was sent before.
        public static let reset = Step(action: .reset)

        /// Whether only a ``LoopbackServer`` can perform the step.
        var isOnlyOnTheWire: Bool {
            switch action {
            case .chunk, .delay, .wait, .hold, .close, .reset: false
            case .send, .head, .body: true
            }
        }

        var isChunk: Bool {
            if case .chunk = action { true } else { false }
        }

        /// Whether the step loses the rest of the body.
        var losesTheRest: Bool {
            switch action {
            case .close, .reset: true
            default: false
            }
        }

        /// The bytes of a body.
        var bytes: Data? {
            switch action {
            case .body(let bytes), .chunk(let bytes): bytes
            default: nil
            }
        }

        /// The step as it is written to a connection: a chunk with its size and line ends.
        var framed: Step {
            guard case .chunk(let bytes) = action, !bytes.isEmpty else { return self }
            return .body(Data("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + Data("\r\n".utf8))
        }
    }
}
