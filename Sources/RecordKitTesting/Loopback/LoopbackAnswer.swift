public import Foundation
public import RecordKit

/// What a `LoopbackServer` sends for one request: a list of steps, done in order.
///
/// The usual answers have names; a fault is an answer with a step more, or less:
///
/// ```swift
/// .json("{}")                                            // 200 with a Content-Length
/// .json("{}").after(.wait(gate))                         // held until the test opens the gate
/// .text("abcdef").cut(after: 3)                          // three bytes of the body, then FIN
/// [.head(200), .body("no length"), .close]               // the body ends with the connection
/// [.send("complete nonsense\r\n\r\n"), .close]
/// ```
///
/// When its steps are done, the connection is kept for the next request, unless a step has ended it, the request said
/// `Connection: close` (RFC 9112 section 9.3), or a head that the answer sent did.
public struct LoopbackAnswer: Sendable, ExpressibleByArrayLiteral {
    /// The steps, in the order in which they are done.
    public var steps: [Step]

    public init(_ steps: [Step]) {
        self.steps = steps
    }

    public init(arrayLiteral steps: Step...) {
        self.steps = steps
    }

    /// A status, headers and a body, with the body's Content-Length.
    ///
    /// No Content-Length is added where the headers have one, right or wrong, or a Transfer-Encoding, nor to statuses
    /// that have no body (1xx, 204, 304). The body is not sent in the answer to a HEAD request.
    public static func status(
        _ status: Int, headers: HTTPHeaders = [:], body: Data = Data()
    ) -> LoopbackAnswer {
        var headers = headers
        let hasBody = status >= 200 && status != 204 && status != 304
        if hasBody, !headers.contains("Content-Length"), !headers.contains("Transfer-Encoding") {
            headers.add("Content-Length", "\(body.count)")
        }
        return [.head(status, headers: headers), .body(body)]
    }

    /// Text as `text/plain`, in UTF-8.
    public static func text(_ text: String, status: Int = 200) -> LoopbackAnswer {
        .status(status, headers: ["Content-Type": "text/plain; charset=utf-8"], body: Data(text.utf8))
    }

    /// JSON as it is written here; whether it is valid is not looked at.
    public static func json(_ json: String, status: Int = 200) -> LoopbackAnswer {
        .status(status, headers: ["Content-Type": "application/json"], body: Data(json.utf8))
    }

    /// A value as JSON, by a `JSONEncoder` with sorted keys.
    ///
    /// - Throws: what the encoder throws.
    public static func json(encoding value: some Encodable, status: Int = 200) throws -> LoopbackAnswer {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let body = try encoder.encode(value)
        return .status(status, headers: ["Content-Type": "application/json"], body: body)
    }

    /// A redirect to this `Location`, which is sent as it is written here.
    public static func redirect(to location: String, status: Int = 302) -> LoopbackAnswer {
        .status(status, headers: ["Location": location])
    }

    /// A body in chunks (RFC 9112 section 7.1), each a write of its own, and the last, empty chunk. An empty text among
    /// them would be that one, and is left out.
    public static func chunked(
        _ chunks: [String], status: Int = 200, contentType: String = "text/plain; charset=utf-8"
    ) -> LoopbackAnswer {
        let head = Step.head(status, headers: ["Content-Type": contentType, "Transfer-Encoding": "chunked"])
        let pieces = chunks.filter { !$0.isEmpty }
        return LoopbackAnswer([head] + pieces.map { .chunk(Data($0.utf8)) } + [.lastChunk])
    }

    /// Nothing is sent, and the connection is held until the client leaves or the server is stopped.
    public static let never: LoopbackAnswer = [.hold]

    /// The connection is closed without an answer.
    public static let close: LoopbackAnswer = [.close]

    /// The connection is reset without an answer.
    public static let reset: LoopbackAnswer = [.reset]
}

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

extension LoopbackAnswer {
    /// One thing that the server does on its way through an answer.
    public struct Step: Sendable {
        enum Action {
            case send(Data)
            case head(Data, endsConnection: Bool)
            case body(Data)
            case delay(Duration)
            case wait(AnswerGate)
            case hold
            case close
            case reset
        }

        let action: Action

        /// Sends bytes as they are.
        public static func send(_ bytes: Data) -> Step {
            Step(action: .send(bytes))
        }

        /// Sends text as it is, in UTF-8; every `\r\n` is the caller's.
        public static func send(_ text: String) -> Step {
            .send(Data(text.utf8))
        }

        /// Sends a status line, these headers and the empty line; nothing is added.
        ///
        /// A status below 200 makes it an interim answer: `.head(103, headers: ["Link": "</a.css>"])`. After a head
        /// with `Connection: close` the connection is closed when the answer is done.
        public static func head(_ status: Int, headers: HTTPHeaders = [:]) -> Step {
            let lines = headers.fields.map { "\($0.name): \($0.value)" }
            // Without a reason phrase, but with the space before it (RFC 9112 section 4).
            let text = (["HTTP/1.1 \(status) "] + lines + ["", ""]).joined(separator: "\r\n")
            let closes = lines.contains { $0.lowercased().filter { $0 != " " } == "connection:close" }
            return Step(action: .head(Data(text.utf8), endsConnection: closes))
        }

        /// Sends bytes of a body: as they are, but not at all in the answer to a HEAD request.
        public static func body(_ bytes: Data) -> Step {
            Step(action: .body(bytes))
        }

        /// Sends text of a body, in UTF-8, but not in the answer to a HEAD request.
        public static func body(_ text: String) -> Step {
            .body(Data(text.utf8))
        }

        /// Sends one chunk of a chunked body: its size, the bytes, the line end.
        public static func chunk(_ bytes: Data) -> Step {
            .body(Data("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + Data("\r\n".utf8))
        }

        /// Sends the empty chunk that ends a chunked body, without trailers.
        public static let lastChunk = Step.body("0\r\n\r\n")

        /// Waits, then goes on.
        public static func delay(_ duration: Duration) -> Step {
            Step(action: .delay(duration))
        }

        /// Waits until the gate is open, then goes on.
        public static func wait(_ gate: AnswerGate) -> Step {
            Step(action: .wait(gate))
        }

        /// Does nothing more until the client leaves or the server is stopped. Of a client that leaves amid a body of
        /// more than a megabyte, which waits unread, it learns only when the server is stopped.
        public static let hold = Step(action: .hold)

        /// Closes the connection in good order (FIN) once all before it has been sent.
        public static let close = Step(action: .close)

        /// Resets the connection (RST): the client may lose even what was sent before.
        public static let reset = Step(action: .reset)
    }
}
