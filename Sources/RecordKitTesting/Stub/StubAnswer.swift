public import Foundation

/// What a `SessionStub` answers one request with.
public struct StubAnswer: Sendable {
    enum Outcome {
        case response(status: Int, headers: [String: String], body: Data)
        case failure(any Error)
        case never
    }

    let outcome: Outcome
    var gate: AnswerGate?

    /// A status, headers and a body.
    ///
    /// A Content-Length is added unless the headers have one. Headers of the same name become one, as URLSession has
    /// it, their values joined by a comma. The body is not given to the task of a HEAD request.
    public static func status(
        _ status: Int, headers: KeyValuePairs<String, String> = [:], body: Data = Data()
    ) -> StubAnswer {
        var fields = Dictionary(headers.map { ($0.key, $0.value) }) { "\($0), \($1)" }
        if !fields.keys.contains(where: { $0.lowercased() == "content-length" }) {
            fields["Content-Length"] = "\(body.count)"
        }
        return StubAnswer(outcome: .response(status: status, headers: fields, body: body))
    }

    /// Text as `text/plain`, in UTF-8.
    public static func text(_ text: String, status: Int = 200) -> StubAnswer {
        .status(status, headers: ["Content-Type": "text/plain; charset=utf-8"], body: Data(text.utf8))
    }

    /// JSON as it is written here; whether it is valid is not looked at.
    public static func json(_ json: String, status: Int = 200) -> StubAnswer {
        .status(status, headers: ["Content-Type": "application/json"], body: Data(json.utf8))
    }

    /// A value as JSON, by a `JSONEncoder` with sorted keys.
    ///
    /// - Throws: what the encoder throws.
    public static func json(encoding value: some Encodable, status: Int = 200) throws -> StubAnswer {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let body = try encoder.encode(value)
        return .status(status, headers: ["Content-Type": "application/json"], body: body)
    }

    /// No response: the task ends with this error, a `URLError` or any other.
    public static func failure(_ error: any Error) -> StubAnswer {
        StubAnswer(outcome: .failure(error))
    }

    /// No answer at all, until the task is cancelled.
    public static let never = StubAnswer(outcome: .never)

    /// This answer, held back until the gate is open or the task is cancelled.
    public func after(_ gate: AnswerGate) -> StubAnswer {
        var answer = self
        answer.gate = gate
        return answer
    }
}
