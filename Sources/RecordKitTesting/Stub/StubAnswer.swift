public import Foundation
public import RecordKit

/// What a stub answers one request with.
///
/// The usual answers have names; a fault is an answer that arrives otherwise:
///
/// ```swift
/// .json(#"{"sku": "LP-0042"}"#)
/// .json("{}", status: 409)
/// .json("[]").delayed(by: .seconds(3))
/// .text("abcdef").cut(after: 3)
/// .refused
/// ```
public struct StubAnswer: Sendable {
    enum Outcome: Sendable {
        case response(Head)
        case failure(any Error)
        case never
    }

    /// A response as it leaves the server.
    struct Head: Sendable {
        var status: Int
        var headers: HTTPHeaders
        var body: Data
    }

    var outcome: Outcome
    var pace = Pace()

    /// A status, headers and a body.
    ///
    /// A Content-Length is added unless the headers have one, or the status is 204 or 304. The body is not given to a
    /// HEAD request, nor with a 204 or a 304. Several headers of one name arrive as one, joined with `", "`, as
    /// URLSession hands them over.
    public static func status(_ status: Int, headers: HTTPHeaders = [:], body: Data = Data()) -> StubAnswer {
        StubAnswer(outcome: .response(Head(status: status, headers: headers, body: body)))
    }

    /// Bytes of this media type.
    public static func data(
        _ data: Data, contentType: String = "application/octet-stream", status: Int = 200
    ) -> StubAnswer {
        .status(status, headers: ["Content-Type": contentType], body: data)
    }

    /// Text as `text/plain`, in UTF-8.
    public static func text(_ text: String, status: Int = 200) -> StubAnswer {
        .data(Data(text.utf8), contentType: "text/plain; charset=utf-8", status: status)
    }

    /// JSON as it is written here; whether it is valid is not looked at.
    public static func json(_ json: String, status: Int = 200) -> StubAnswer {
        .data(Data(json.utf8), contentType: "application/json", status: status)
    }

    /// A value as JSON, by a `JSONEncoder` with sorted keys.
    ///
    /// - Throws: what the encoder throws.
    public static func json(encoding value: some Encodable, status: Int = 200) throws -> StubAnswer {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return .data(try encoder.encode(value), contentType: "application/json", status: status)
    }

    /// This answer with further headers; those it had of the same names are gone.
    ///
    /// ```swift
    /// .json("[]").adding(["Link": "<https://store.example/records?page=2>; rel=\"next\""])
    /// ```
    public func adding(_ headers: HTTPHeaders) -> StubAnswer {
        changingHead { $0.headers.merge(headers) }
    }

    func changingHead(_ change: (inout Head) -> Void) -> StubAnswer {
        guard case .response(var head) = outcome else { return self }
        change(&head)
        var answer = self
        answer.outcome = .response(head)
        return answer
    }

    /// No response: the call ends with this error, a `URLError`, a `NetworkError` or any other.
    public static func failure(_ error: any Error) -> StubAnswer {
        StubAnswer(outcome: .failure(error))
    }

    /// No response: the call ends with a `URLError` of this code.
    public static func failure(_ code: URLError.Code) -> StubAnswer {
        .failure(URLError(code))
    }

    /// No connection: nothing listens there.
    public static let refused = StubAnswer.failure(.cannotConnectToHost)

    /// No answer at all, until the request is cancelled or its time is up.
    public static let never = StubAnswer(outcome: .never)
}
