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
