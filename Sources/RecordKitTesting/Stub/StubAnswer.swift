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

extension StubAnswer {
    /// How an answer arrives.
    struct Pace: Sendable {
        var gate: AnswerGate?
        var delay = Duration.zero
        var drip: (count: Int, interval: Duration)?
        /// How many bytes of the body arrive before the connection is lost.
        var cut: Int?
        /// How far the server's clock is ahead.
        var skew: Duration?
    }

    /// This answer, held back until the gate is open or the request is cancelled.
    public func after(_ gate: AnswerGate) -> StubAnswer {
        changed { $0.gate = gate }
    }

    /// This answer, so much later, by the clock of the call or of the stub.
    public func delayed(by duration: Duration) -> StubAnswer {
        changed { $0.delay += Self.limited(duration) }
    }

    /// This answer with its body in pieces of so many bytes, one every so often, by the clock of the call or of the
    /// stub. Who reads the body whole gets it at the end.
    public func dripped(by count: Int = 1, every interval: Duration) -> StubAnswer {
        changed { $0.drip = (max(count, 1), Self.limited(interval)) }
    }

    /// This answer up to so many bytes of its body; then the connection is lost. Who reads the body whole gets the
    /// error alone.
    public func cut(after count: Int) -> StubAnswer {
        changed { $0.cut = max(count, 0) }
    }

    /// This answer with no more than so many bytes of its body, and no sign that some are missing: JSON that ends in
    /// the middle.
    ///
    /// - Parameter count: nil keeps half of the body.
    public func truncated(to count: Int? = nil) -> StubAnswer {
        changingHead { $0.body = Data($0.body.prefix(max(count ?? $0.body.count / 2, 0))) }
    }

    /// This answer with every seventh byte of its body inverted, the first of them too: neither JSON nor UTF-8 any
    /// more.
    public func garbled() -> StubAnswer {
        changingHead { head in
            head.body = Data(head.body.enumerated().map { $0.offset % 7 == 0 ? ~$0.element : $0.element })
        }
    }

    /// This answer from a server whose clock is so far ahead, or behind when it is less than zero: its `Date` is the
    /// date of the clock of the call or of the stub, and this.
    public func skewed(by duration: Duration) -> StubAnswer {
        changed { $0.skew = duration }
    }

    /// From zero to a year, which stands for every longer time: timers count nanoseconds.
    private static func limited(_ duration: Duration) -> Duration {
        min(max(duration, .zero), .seconds(366 * 86_400))
    }

    private func changed(_ change: (inout Pace) -> Void) -> StubAnswer {
        var answer = self
        change(&answer.pace)
        return answer
    }
}

extension [StubAnswer] {
    /// A server in trouble: refusals with this status, so many of them, and then an answer.
    public static func storm(_ status: Int = 503, times: Int = 3, then answer: StubAnswer) -> [StubAnswer] {
        Array(repeating: .text("The server cannot answer now.\n", status: status), count: Swift.max(times, 0)) + [
            answer
        ]
    }

    /// A credential that has ended: 401 with a challenge (RFC 9110 section 11.6.1), and then an answer.
    public static func unauthorized(challenge: String = "Bearer", then answer: StubAnswer) -> [StubAnswer] {
        [.status(401, headers: ["WWW-Authenticate": challenge]), answer]
    }
}

extension StubAnswer {
    /// What a file holds, as the media type that its extension stands for.
    ///
    /// - Throws: `StubError.missingFile` or `StubError.unreadableFile`.
    public static func file(_ file: URL, status: Int = 200) throws -> StubAnswer {
        .data(try StubFile.contents(of: file), contentType: StubFile.mediaType(of: file), status: status)
    }

    /// What a file in a bundle holds: `.file("Fixtures/record.json", in: .module)`.
    ///
    /// - Throws: `StubError.missingFile` or `StubError.unreadableFile`.
    public static func file(_ path: String, in bundle: Bundle, status: Int = 200) throws -> StubAnswer {
        try .file((bundle.resourceURL ?? bundle.bundleURL).appending(path: path), status: status)
    }
}

/// Files as bodies of answers.
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
        switch file.pathExtension.lowercased() {
        case "json", "har": "application/json"
        case "xml": "application/xml"
        case "html", "htm": "text/html; charset=utf-8"
        case "txt": "text/plain; charset=utf-8"
        case "csv": "text/csv; charset=utf-8"
        case "png": "image/png"
        case "jpg", "jpeg": "image/jpeg"
        case "gif": "image/gif"
        case "svg": "image/svg+xml"
        case "pdf": "application/pdf"
        default: "application/octet-stream"
        }
    }
}

/// Why a stub cannot answer.
public enum StubError: Error, Equatable, CustomStringConvertible, LocalizedError {
    /// The session has outlived its `SessionStub` or `StubServer`: keep that as long as the session is used.
    case stubIsGone
    /// The stub was made with an empty list of answers.
    case noAnswer
    /// No response can be made of this status and these headers.
    case invalidAnswer(status: Int)
    /// There is no file of this name in this folder.
    case missingFile(String, folder: String)
    /// The file is there and cannot be read.
    case unreadableFile(String, reason: String)
    /// The request, named by its case, does not read the answer that was given for its success.
    case unfitAnswer(request: String, reason: String)

    public var description: String {
        switch self {
        case .stubIsGone:
            "The SessionStub or StubServer of this session is gone. Keep it as long as the session is used."
        case .noAnswer:
            "The stub has no answers. Give it one at least."
        case .invalidAnswer(let status):
            "No HTTP response can be made with the status \(status) and the headers of the answer."
        case .missingFile(let name, let folder):
            "There is no file \(name) in \(folder). Put it there, or give another name."
        case .unreadableFile(let file, let reason):
            "The file \(file) cannot be read: \(reason)"
        case .unfitAnswer(let request, let reason):
            "\(request) does not read its value as it was encoded: \(reason) Answer with the body that its server "
                + "sends, such as .json(…)."
        }
    }

    public var errorDescription: String? { description }
}
