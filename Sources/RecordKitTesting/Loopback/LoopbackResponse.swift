public import Foundation
public import RecordKit

/// The response of a ``LoopbackServer`` to one request: a list of steps.
///
/// Common responses have names. A fault is a response with more or fewer steps:
///
/// ```swift
/// .json("{}")  // 200 with a Content-Length
///     .json("{}").after(.wait(gate))  // held until the test opens the gate
///     .text("abcdef").cut(after: 3)  // three bytes of the body, then FIN
/// [.head(200), .body("no length"), .close]  // the body ends with the connection
/// [.send("complete nonsense\r\n\r\n"), .close]
/// ```
///
/// After the last step, the connection is kept open for the next request. It is closed if a step, the request's
/// `Connection: close` (RFC 9112 section 9.3) or the response's head says so.
public struct LoopbackResponse: Sendable, ExpressibleByArrayLiteral {
    /// The steps, in order.
    public var steps: [Step]

    /// Creates a response.
    ///
    /// - Parameter steps: The steps, in order.
    public init(_ steps: [Step]) {
        self.steps = steps
    }

    /// Creates a response.
    ///
    /// - Parameter steps: The steps, in order.
    public init(arrayLiteral steps: Step...) {
        self.steps = steps
    }

    /// Returns a response with a status, header fields and a body, and the body's Content-Length.
    ///
    /// No Content-Length is added if the header contains a Content-Length, right or wrong, or a Transfer-Encoding, or
    /// if the status has no body (1xx, 204, 304). The body isn't sent in response to a HEAD request.
    ///
    /// - Parameters:
    ///   - status: The status.
    ///   - headers: The header fields.
    ///   - body: The body.
    public static func status(
        _ status: Int, headers: HTTPHeaders = [:], body: Data = Data()
    ) -> LoopbackResponse {
        var headers = headers
        let hasBody = status >= 200 && status != 204 && status != 304
        if hasBody, !headers.contains("Content-Length"), !headers.contains("Transfer-Encoding") {
            headers.add("Content-Length", "\(body.count)")
        }
        return [.head(status, headers: headers), .body(body)]
    }

    /// Returns a response of the type `text/plain`, in UTF-8.
    ///
    /// - Parameters:
    ///   - text: The body.
    ///   - status: The status. Default: 200.
    public static func text(_ text: String, status: Int = 200) -> LoopbackResponse {
        .status(status, headers: ["Content-Type": "text/plain; charset=utf-8"], body: Data(text.utf8))
    }

    /// Returns a response with JSON, which isn't validated.
    ///
    /// - Parameters:
    ///   - json: The body.
    ///   - status: The status. Default: 200.
    public static func json(_ json: String, status: Int = 200) -> LoopbackResponse {
        .status(status, headers: ["Content-Type": "application/json"], body: Data(json.utf8))
    }

    /// Returns a response with a value as JSON, encoded by a `JSONEncoder` with sorted keys.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - status: The status. Default: 200.
    /// - Throws: The error of the encoder.
    public static func json(encoding value: some Encodable, status: Int = 200) throws -> LoopbackResponse {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let body = try encoder.encode(value)
        return .status(status, headers: ["Content-Type": "application/json"], body: body)
    }

    /// Returns a redirect.
    ///
    /// - Parameters:
    ///   - location: The value of `Location`, sent unchanged.
    ///   - status: The status. Default: 302.
    public static func redirect(to location: String, status: Int = 302) -> LoopbackResponse {
        .status(status, headers: ["Location": location])
    }

    /// Returns a response with a chunked body (RFC 9112 section 7.1). Each chunk is written separately, followed by the
    /// last, empty chunk.
    ///
    /// - Parameters:
    ///   - chunks: The chunks. Empty strings are left out, because an empty chunk ends the body.
    ///   - status: The status. Default: 200.
    ///   - contentType: The value of `Content-Type`.
    ///   - trailers: The fields after the body (RFC 9110 section 6.5). They end a process that uses URLSession on Linux
    ///     (Swift 6.3.1).
    public static func chunked(
        _ chunks: [String], status: Int = 200, contentType: String = "text/plain; charset=utf-8",
        trailers: HTTPHeaders = [:]
    ) -> LoopbackResponse {
        let head = Step.head(status, headers: ["Content-Type": contentType, "Transfer-Encoding": "chunked"])
        let nonempty = chunks.filter { !$0.isEmpty }
        return LoopbackResponse([head] + nonempty.map { .chunk(Data($0.utf8)) } + [.lastChunk(trailers)])
    }

    /// Returns a stream of server-sent events, with the type `text/event-stream` and a chunked body.
    ///
    /// ```swift
    /// // The connection ends after the second event.
    /// .events([.event("one", id: "1"), .wait(gate), .event("two"), .close])
    /// ```
    ///
    /// - Parameter steps: The steps of the body. The last, empty chunk is added.
    public static func events(_ steps: [Step]) -> LoopbackResponse {
        let headers: HTTPHeaders = ["Content-Type": "text/event-stream", "Transfer-Encoding": "chunked"]
        return LoopbackResponse([.head(200, headers: headers)] + steps + [.lastChunk])
    }

    /// No response. The connection is kept open until the client closes it or the server is stopped.
    public static let never: LoopbackResponse = [.hold]

    /// No response. The connection is closed.
    public static let close: LoopbackResponse = [.close]

    /// No response. The connection is reset.
    public static let reset: LoopbackResponse = [.reset]
}

extension LoopbackResponse {
    /// Returns this response after other steps: a delay, a gate, an interim head.
    ///
    /// - Parameter steps: The steps that come first.
    public func after(_ steps: Step...) -> LoopbackResponse {
        LoopbackResponse(steps + self.steps)
    }

    /// Returns this response followed by other steps, such as `.close`.
    ///
    /// - Parameter steps: The steps that come last.
    public func then(_ steps: Step...) -> LoopbackResponse {
        LoopbackResponse(self.steps + steps)
    }

    /// Returns this response with its body cut off.
    ///
    /// - Parameters:
    ///   - count: The number of bytes of the body that are sent, including chunk framing.
    ///   - end: The step after these bytes: `.close`, `.reset`, or `.hold` for a body that stalls. Default: `.close`.
    public func cut(after count: Int, then end: Step = .close) -> LoopbackResponse {
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
        return LoopbackResponse(kept + [end])
    }

    /// Returns this response with its body sent slowly.
    ///
    /// - Parameters:
    ///   - count: The number of bytes that are sent at a time. Default: 1.
    ///   - interval: The time before each of them.
    public func dripped(by count: Int = 1, every interval: Duration) -> LoopbackResponse {
        LoopbackResponse(
            steps.flatMap { step -> [Step] in
                guard case .body(let bytes) = step.action else { return [step] }
                return stride(from: 0, to: bytes.count, by: max(count, 1)).flatMap { start in
                    [.delay(interval), .body(Data(bytes.dropFirst(start).prefix(max(count, 1))))]
                }
            })
    }
}

extension LoopbackResponse {
    /// One step of a response.
    public struct Step: Sendable {
        enum Action {
            case send(Data)
            case head(Data, endsConnection: Bool)
            case body(Data)
            case delay(Duration)
            case wait(ResponseGate)
            case hold
            case close
            case reset
        }

        let action: Action

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
            let lines = headers.fields.map { "\($0.name): \($0.value)" }
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

        /// Sends a chunk of a chunked body: its size, its bytes and a line end.
        ///
        /// - Parameter bytes: The bytes of the chunk.
        public static func chunk(_ bytes: Data) -> Step {
            .body(Data("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + Data("\r\n".utf8))
        }

        /// Sends a server-sent event as a chunk of a chunked body.
        ///
        /// - Parameters:
        ///   - data: The data.
        ///   - type: The type, or `nil` to send none.
        ///   - id: The ID, or `nil` to send none.
        public static func event(_ data: String, type: String? = nil, id: String? = nil) -> Step {
            .chunk(Data(EventText.of(data, type: type, id: id).utf8))
        }

        /// Sends the empty chunk that ends a chunked body, without trailers.
        public static let lastChunk = Step.body("0\r\n\r\n")

        /// Sends the empty chunk that ends a chunked body, and fields after it (RFC 9110 section 6.5).
        ///
        /// - Parameter trailers: The fields.
        public static func lastChunk(_ trailers: HTTPHeaders) -> Step {
            .body(Data(("0\r\n" + trailers.fields.map { "\($0.name): \($0.value)\r\n" }.joined() + "\r\n").utf8))
        }

        /// Waits for a time.
        ///
        /// - Parameter duration: The time.
        public static func delay(_ duration: Duration) -> Step {
            Step(action: .delay(duration))
        }

        /// Waits until a gate is open.
        ///
        /// - Parameter gate: The gate.
        public static func wait(_ gate: ResponseGate) -> Step {
            Step(action: .wait(gate))
        }

        /// Waits until the client closes the connection or the server is stopped.
        ///
        /// If the client closes it in the middle of an unread body of more than a megabyte, the server notices only
        /// when it is stopped.
        public static let hold = Step(action: .hold)

        /// Closes the connection (FIN) after everything before was sent.
        public static let close = Step(action: .close)

        /// Resets the connection (RST). The client may lose even what was sent before.
        public static let reset = Step(action: .reset)
    }
}
