public import Foundation
public import RecordKit

/// The response of a stub or a server to one request.
///
/// Common responses have names. To simulate a fault, change how a response arrives:
///
/// ```swift
/// let responses: [StubResponse] = [
///     .json(#"{"sku": "LP-0042"}"#),
///     .json("{}", status: 409),
///     .json("[]").delayed(by: .seconds(3)),
///     .text("abcdef").cut(after: 3),
///     [.chunk("abc"), .wait(gate), .chunk("def")],
///     .refused,
/// ]
/// ```
///
/// A ``LoopbackServer`` takes the same responses, and lists of what it writes to the connection:
///
/// ```swift
/// // The body ends with the connection.
/// let noLength: StubResponse = [.head(200), .body("no length"), .close]
/// let nonsense: StubResponse = [.send("complete nonsense\r\n\r\n"), .close]
/// ```
///
/// Such a list ends a call to any other stub with ``StubError/onlyOnTheWire``.
public struct StubResponse: Sendable {
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
        var trailers = HTTPHeaders()
    }

    var outcome: Outcome
    var pace = Pace()
    /// What a ``LoopbackServer`` writes in place of the outcome, if a test lists it.
    var wire: [Step]?

    /// Returns a response with a status, header fields and a body.
    ///
    /// A Content-Length is added unless the header contains one or a Transfer-Encoding, or the status has no body
    /// (1xx, 204, 304). The body isn't sent in response to a HEAD request.
    ///
    /// A stub drops the body of the status 204 or 304, and joins several header fields of one name with `", "`, as
    /// URLSession does, except for `Set-Cookie`. A ``LoopbackServer`` sends both as they are.
    ///
    /// - Parameters:
    ///   - status: The status.
    ///   - headers: The header fields.
    ///   - body: The body.
    public static func status(_ status: Int, headers: HTTPHeaders = [:], body: Data = Data()) -> StubResponse {
        StubResponse(outcome: .response(Head(status: status, headers: headers, body: body)))
    }

    /// Returns a response with bytes.
    ///
    /// - Parameters:
    ///   - data: The body.
    ///   - contentType: The media type. Default: `application/octet-stream`.
    ///   - status: The status. Default: 200.
    public static func data(
        _ data: Data, contentType: String = "application/octet-stream", status: Int = 200
    ) -> StubResponse {
        .status(status, headers: ["Content-Type": contentType], body: data)
    }

    /// Returns a response of the type `text/plain`, in UTF-8.
    ///
    /// - Parameters:
    ///   - text: The body.
    ///   - status: The status. Default: 200.
    public static func text(_ text: String, status: Int = 200) -> StubResponse {
        .data(Data(text.utf8), contentType: "text/plain; charset=utf-8", status: status)
    }

    /// Returns a response with JSON, which isn't validated.
    ///
    /// - Parameters:
    ///   - json: The body.
    ///   - status: The status. Default: 200.
    public static func json(_ json: String, status: Int = 200) -> StubResponse {
        .data(Data(json.utf8), contentType: "application/json", status: status)
    }

    /// Returns a response with a value as JSON, encoded by a `JSONEncoder` with sorted keys.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - status: The status. Default: 200.
    /// - Throws: The error of the encoder.
    public static func json(encoding value: some Encodable, status: Int = 200) throws -> StubResponse {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return .data(try encoder.encode(value), contentType: "application/json", status: status)
    }

    /// Returns a redirect.
    ///
    /// - Parameters:
    ///   - location: The value of `Location`, sent unchanged.
    ///   - status: The status. Default: 302.
    public static func redirect(to location: String, status: Int = 302) -> StubResponse {
        .status(status, headers: ["Location": location])
    }

    /// Returns this response with more header fields. They replace those of the same names.
    ///
    /// ```swift
    /// let page = StubResponse.json("[]").adding([
    ///     "Link": "<https://store.example/records?page=2>; rel=\"next\""
    /// ])
    /// ```
    ///
    /// - Parameter headers: The header fields.
    public func adding(_ headers: HTTPHeaders) -> StubResponse {
        changingHead { $0.headers.merge(headers) }
    }

    /// Returns this response with fields after its body (RFC 9110 section 6.5).
    ///
    /// A task of a URLSession doesn't get them. On the wire, they end a process that uses URLSession on Linux (Swift
    /// 6.3.1).
    ///
    /// - Parameter trailers: The fields. They replace those of the same names.
    public func adding(trailers: HTTPHeaders) -> StubResponse {
        changingHead { $0.trailers.merge(trailers) }
    }

    func changingHead(_ change: (inout Head) -> Void) -> StubResponse {
        guard case .response(var head) = outcome else { return self }
        change(&head)
        var response = self
        response.outcome = .response(head)
        return response
    }

    /// Returns no response: the call fails. A ``LoopbackServer`` resets the connection instead.
    ///
    /// - Parameter error: A `URLError`, a `NetworkError` or another error.
    public static func failure(_ error: any Error) -> StubResponse {
        StubResponse(outcome: .failure(error))
    }

    /// Returns no response: the call fails with a `URLError`.
    ///
    /// - Parameter code: The code of the error.
    public static func failure(_ code: URLError.Code) -> StubResponse {
        .failure(URLError(code))
    }

    /// No connection: the server doesn't listen.
    public static let refused = StubResponse.failure(.cannotConnectToHost)

    /// No response until the request is cancelled or times out.
    public static let never = StubResponse(outcome: .never)

    /// No response. The connection is closed.
    public static let close = StubResponse(outcome: .failure(URLError(.networkConnectionLost)), wire: [.close])

    /// No response. The connection is reset.
    public static let reset = StubResponse(outcome: .failure(URLError(.networkConnectionLost)), wire: [.reset])
}

extension StubResponse {
    /// How a response arrives.
    struct Pace: Sendable {
        /// The waits before the response.
        var waits: [Step] = []
        var drip: (count: Int, interval: Duration)?
        /// The number of bytes of the body that arrive, and what happens then.
        var cut: (count: Int, end: Step)?
        /// How the body arrives, if a test scripts it.
        var script: [Step]?
        /// The time by which the server's clock is ahead.
        var skew: Duration?
    }

    /// Returns this response, held back until a gate is open or the request is cancelled.
    ///
    /// - Parameter gate: The gate.
    public func after(_ gate: ResponseGate) -> StubResponse {
        after(.wait(gate))
    }

    /// Returns this response with a delay.
    ///
    /// - Parameter duration: The delay, according to the clock of the call or the stub. A ``LoopbackServer`` takes real
    ///   time.
    public func delayed(by duration: Duration) -> StubResponse {
        after(.delay(duration))
    }

    /// Returns this response with its body sent slowly, according to the clock of the call or the stub. A caller that
    /// reads the whole body gets it at the end.
    ///
    /// - Parameters:
    ///   - count: The number of bytes that are sent at a time. Default: 1.
    ///   - interval: The time before each of them.
    public func slow(bytes count: Int = 1, every interval: Duration) -> StubResponse {
        changed { $0.drip = (max(count, 1), Self.limited(interval)) }
    }

    /// Returns this response with its connection lost in the middle of the body. A caller that reads the whole body
    /// only gets the error.
    ///
    /// - Parameters:
    ///   - count: The number of bytes that arrive, on the wire with the framing of chunks.
    ///   - end: The step after these bytes: `.close`, `.reset`, or `.hold` for a body that stalls. Default: `.close`.
    public func cut(after count: Int, then end: Step = .close) -> StubResponse {
        changed { $0.cut = (max(count, 0), end) }
    }

    /// Returns this response with every seventh byte of its body inverted, beginning with the first. It is neither JSON
    /// nor UTF-8 anymore.
    public func corrupted() -> StubResponse {
        changingHead { head in
            head.body = Data(head.body.enumerated().map { $0.offset % 7 == 0 ? ~$0.element : $0.element })
        }
    }

    /// Returns this response from a server whose clock is wrong. Its `Date` is the date of the call's or the stub's
    /// clock, plus the duration.
    ///
    /// - Parameter duration: The time by which the server's clock is ahead. Negative if it is behind.
    public func withDate(shiftedBy duration: Duration) -> StubResponse {
        changed { $0.skew = duration }
    }

    /// Limits a duration to the range from zero to a year, because timers count nanoseconds.
    static func limited(_ duration: Duration) -> Duration {
        min(max(duration, .zero), .seconds(366 * 86_400))
    }

    func changed(_ change: (inout Pace) -> Void) -> StubResponse {
        var response = self
        change(&response.pace)
        return response
    }
}

extension StubResponse {
    /// Returns a response with the content of a file. Its media type follows from the file's extension.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - status: The status. Default: 200.
    /// - Throws: ``StubError/missingFile(_:folder:)`` or ``StubError/unreadableFile(_:reason:)``.
    public static func file(_ file: URL, status: Int = 200) throws -> StubResponse {
        .data(try StubFile.contents(of: file), contentType: StubFile.mediaType(of: file), status: status)
    }

    /// Returns a response with the content of a file in a bundle: `.file("Fixtures/record.json", in: .module)`.
    ///
    /// - Parameters:
    ///   - path: The path of the file in the bundle.
    ///   - bundle: The bundle.
    ///   - status: The status. Default: 200.
    /// - Throws: ``StubError/missingFile(_:folder:)`` or ``StubError/unreadableFile(_:reason:)``.
    public static func file(_ path: String, in bundle: Bundle, status: Int = 200) throws -> StubResponse {
        try .file((bundle.resourceURL ?? bundle.bundleURL).appending(path: path), status: status)
    }
}

/// Reads files as bodies of responses.
enum StubFile {
    static func contents(of file: URL) throws(StubError) -> Data {
        do {
            return try Data(contentsOf: file)
        } catch {
            if !FileManager.default.fileExists(atPath: file.path) {
                throw .missingFile(file.lastPathComponent, folder: file.deletingLastPathComponent().path)
            }
            throw .unreadableFile(file.path, reason: error.localizedDescription)
        }
    }

    static func mediaType(of file: URL) -> String {
        mediaTypes[file.pathExtension.lowercased()] ?? "application/octet-stream"
    }

    private static let mediaTypes = [
        "json": "application/json", "har": "application/json", "xml": "application/xml",
        "html": "text/html; charset=utf-8", "htm": "text/html; charset=utf-8", "txt": "text/plain; charset=utf-8",
        "csv": "text/csv; charset=utf-8", "png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg",
        "gif": "image/gif", "svg": "image/svg+xml", "pdf": "application/pdf",
    ]
}

/// The reason why a stub can't respond.
@nonexhaustive
public enum StubError: Error, Equatable, CustomStringConvertible, LocalizedError {
    /// The session is used after its ``StubServer`` was released.
    case stubIsGone
    /// The stub was created without responses.
    case noResponse
    /// The response is a list of steps that only a ``LoopbackServer`` can perform.
    case onlyOnTheWire
    /// A response with this status and these header fields can't be created.
    case invalidResponse(status: Int)
    /// There is no file of this name in this folder.
    case missingFile(String, folder: String)
    /// The file can't be read.
    case unreadableFile(String, reason: String)
    /// The request, named by its case, can't read the response to its success.
    case unfitResponse(request: String, reason: String)

    /// A message that names the problem and the remedy.
    public var description: String {
        switch self {
        case .stubIsGone:
            "The StubServer of this URLSession was released. Keep it as long as the session is used."
        case .noResponse:
            "The stub has no responses. Pass at least one."
        case .onlyOnTheWire:
            "The response is a list of steps of a connection. Use a LoopbackServer, or a response such as .json(…)."
        case .invalidResponse(let status):
            "An HTTP response with the status \(status) and these header fields cannot be created."
        case .missingFile(let name, let folder):
            "There is no file \(name) in \(folder). Add it, or pass another name."
        case .unreadableFile(let file, let reason):
            "The file \(file) cannot be read: \(reason)"
        case .unfitResponse(let request, let reason):
            "\(request) cannot read its own value as it was encoded: \(reason) Pass the body that its server sends, "
                + "such as .json(…)."
        }
    }

    /// The same as ``description``.
    public var errorDescription: String? { description }
}
