import Foundation
public import RecordKit

extension StubServer {
    /// Answers what fits the pattern: with these answers in order, the last again and again.
    public func answer(_ pattern: StubPattern, with answers: StubAnswer...) {
        answer(pattern, with: answers)
    }

    /// Answers what fits the pattern: with these answers in order, the last again and again.
    public func answer(_ pattern: StubPattern, with answers: [StubAnswer]) {
        let next = answers.inTurn()
        book.add(pattern, answerCount: max(answers.count, 1)) { _ in
            guard let answer = next() else { throw StubError.noAnswer }
            return answer
        }
    }

    /// Answers what fits the pattern with what the closure makes of it.
    ///
    /// - Parameters:
    ///   - pattern: which requests.
    ///   - answer: must not block. What it throws is what the request ends with.
    public func answer(_ pattern: StubPattern, with answer: @escaping @Sendable (StubRequest) throws -> StubAnswer) {
        book.add(pattern, answer: answer)
    }

    /// Answers this very request with its value, as a 2xx, encoded by the request's own encoder.
    ///
    /// Matched are the method, the whole URL, the headers that the request sets itself, and the body; JSON and forms
    /// by what they mean. Multipart bodies, files and streams are not compared.
    ///
    /// - Throws: `NetworkError.invalidRequest` when the request cannot be built; what the encoder throws;
    ///   ``StubError/unfitAnswer(request:reason:)`` when the request does not read what is encoded: where its server
    ///   wraps the value, answer with the body.
    public func answer<Request: NetworkRequest>(
        _ request: Request, with value: Request.ValueType, status: Int = 200
    ) throws where Request.ValueType: Encodable {
        let pattern = try StubPattern(request, in: environment)
        let answer = try StubAnswer.success(of: request, value, status: status, in: environment)
        self.answer(pattern, with: [answer])
    }

    /// Answers this very request with these answers in order, the last again and again: `.status(404)` for a failure.
    ///
    /// - Throws: `NetworkError.invalidRequest` when the request cannot be built.
    public func answer(
        _ request: some NetworkRequest, with answers: StubAnswer...
    ) throws(NetworkError) {
        try answer(request, with: answers)
    }

    /// Answers this very request with these answers in order, the last again and again.
    ///
    /// - Throws: `NetworkError.invalidRequest` when the request cannot be built.
    // Disfavored, so that `with: []` is the empty list that the request asks for, and not a stub without answers.
    @_disfavoredOverload
    public func answer(
        _ request: some NetworkRequest, with answers: [StubAnswer]
    ) throws(NetworkError) {
        answer(try StubPattern(request, in: environment), with: answers)
    }
}

extension StubAnswer {
    /// What a server would send for this value, checked by the request that reads it.
    fileprivate static func success<Request: NetworkRequest>(
        of request: Request, _ value: Request.ValueType, status: Int, in environment: NetworkEnvironment
    ) throws -> StubAnswer where Request.ValueType: Encodable {
        let encoder = request.encoder
        let body: EncodedBody =
            if let value = value as? any ReadAsItIs, value.isNil {
                // JSON's null would be read as a text of four letters.
                EncodedBody(Data(), contentType: encoder.contentType)
            } else if let value = value as? any NetworkEncodable {
                try value.encoded(using: encoder)
            } else {
                try EncodedBody(encoder.encode(value), contentType: encoder.contentType)
            }
        guard case .data(let data) = body.content else { throw StubError.noAnswer }
        let call = try request.call(in: environment)
        let type = body.contentType
        let response = NetworkResponse(
            statusCode: status, headers: ["Content-Type": type], body: data, url: call.url)
        if case .failure(let error) = request.handleResponse(response) {
            throw StubError.unfitAnswer(request: call.name, reason: "\(error)")
        }
        return .data(data, contentType: type, status: status)
    }
}

/// An Optional of what is read without a decoder: of a text, of bytes.
private protocol ReadAsItIs {
    var isNil: Bool { get }
}

extension Optional: ReadAsItIs where Wrapped: NetworkValue {
    fileprivate var isNil: Bool { self == nil }
}
