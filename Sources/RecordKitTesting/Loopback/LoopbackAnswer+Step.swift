public import Foundation
public import RecordKit

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
